"""The winner as plain code: a file that loads the person's target in that setup, without torchstone where it can."""

from pathlib import Path

from torchstone.engines import load_engine
from torchstone.errors import UserError
from torchstone.models.emitting import emit_modes, emit_placing
from torchstone.models.subject import is_own
from torchstone.records import Setup
from torchstone.training.step import CHECKPOINTING, FUSED, LEARNING_RATE

HEAD = '''"""{target}, tuned: {words}.

Written by `torchstone tune`; run it to see that it runs. `run()` is one call.
"""

import torch

{load}
'''
OWN = """\
import importlib.util
import sys

sys.path.insert(0, {folder!r})
specification = importlib.util.spec_from_file_location({stem!r}, {path!r})
module = importlib.util.module_from_spec(specification)
specification.loader.exec_module(module)
"""
MODULE = """\
import importlib

module = importlib.import_module({place!r})
"""
UNPACK = """\
made = getattr(module, {name!r})
made = made if isinstance(made, torch.nn.Module) else made()
model, args, kwargs = (*made, {{}}) if len(made) == 2 else made
args = (args,) if isinstance(args, torch.Tensor) else tuple(args)
model.eval()
"""
WITH_SHAPE = """\
made = getattr(module, {name!r})
model = (made if isinstance(made, torch.nn.Module) else made()).eval()
args, kwargs = (torch.randn({shape}),), {{}}
"""
OURS = """\
from torchstone.models.subject import load_subject

subject = load_subject({target!r})
model, (args, kwargs) = subject.model, subject.inputs(1)
"""
TAIL = """\

if __name__ == "__main__":
    print(run())
"""
STEP = """\
model.train()
optimizer = torch.optim.Adam(model.parameters(), lr={rate}{fused})
called = {called}

def run():
    with {modes}:
        output = called(*args, **kwargs)
        tensors = [value for value in torch.utils._pytree.tree_leaves(output) if isinstance(value, torch.Tensor)]
        loss = sum(tensor.float().square().mean() for tensor in tensors if tensor.is_floating_point())
    loss.backward()  # put your own loss in place of this stand-in
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return loss.detach()
"""


def emit(target: str, setup: Setup, words: str, input_shape: str | None = None, train: bool = False) -> str:
    """The whole file."""
    body = _emit_step(setup) if train else load_engine(setup.engine).emit(setup)
    return HEAD.format(target=target, words=words, load=_load(target, input_shape)) + body + TAIL


def _emit_step(setup: Setup) -> str:
    if CHECKPOINTING in setup.options:
        raise UserError("checkpointing is not written out", "see torch.utils.checkpoint in PyTorch's own documentation")
    called = "torch.compile(model)" if setup.engine.partition(":")[0] == "compile" else "model"
    fused = ", fused=True" if FUSED in setup.options else ""
    modes = emit_modes(setup, "torch.enable_grad()")
    return emit_placing(setup) + STEP.format(rate=LEARNING_RATE, fused=fused, called=called, modes=modes)


def _load(target: str, input_shape: str | None) -> str:
    if not is_own(target) or target.startswith("hf:"):
        return OURS.format(target=target)
    place, _, name = target.rpartition(":")
    unpack = UNPACK if input_shape is None else WITH_SHAPE
    taken = unpack.format(name=name, shape=(input_shape or "").replace("x", ", "))
    if not place.endswith(".py"):
        return MODULE.format(place=place) + taken
    path = Path(place).resolve()
    return OWN.format(folder=str(path.parent), stem=path.stem, path=str(path)) + taken
