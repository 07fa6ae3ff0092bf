"""The chosen setup as plain code: a file that loads the person's target in it, without torchstone where it can."""

from pathlib import Path

from torchstone.engines import load_engine
from torchstone.models.emitting import emit_modes, emit_placing
from torchstone.models.subject import SEED, is_own
from torchstone.records import Setup
from torchstone.training.step import CHECKPOINTING, FUSED, LEARNING_RATE, parts_of
from torchstone.tuning.advising import without_batch
from torchstone.tuning.scoring import times_grown

HEAD = '''"""{target}, tuned: {words}.

Written by `torchstone tune`; run it to see that it runs. `run()` is {what}.
"""

import torch
import torch.utils._pytree

'''
SEEDED = """\
torch.manual_seed({seed})  # as it was tuned; leave it out where your weights come from a file
"""
OWN = """\
import importlib.util
import sys

sys.path.insert(0, {folder!r})
specification = importlib.util.spec_from_file_location({stem!r}, {path!r})
module = importlib.util.module_from_spec(specification)
sys.modules[{stem!r}] = module
specification.loader.exec_module(module)
"""
MODULE = """\
import importlib

module = importlib.import_module({place!r})
"""
UNPACK = """\
made = getattr(module, {name!r})()
model, args, kwargs = (*made, {{}}) if len(made) == 2 else made
{batch}args = (args,) if isinstance(args, torch.Tensor) else tuple(args)
model.eval()
"""
FIRST_BATCH = """\
import inspect

batch = next(iter(args))  # of the loader's first batch as much as the model needs
parameters = inspect.signature(model.forward).parameters.values()
needed = max(sum(each.default is each.empty and each.kind < 2 for each in parameters), 1)
args = batch if isinstance(batch, torch.Tensor) else () if isinstance(batch, dict) else batch[:needed]
kwargs = {**batch, **kwargs} if isinstance(batch, dict) else kwargs
"""
WITH_SHAPE = """\
made = getattr(module, {name!r})
model = (made if isinstance(made, torch.nn.Module) else made()).eval()
args, kwargs = (torch.randn({shape}, generator=torch.Generator().manual_seed({seed})),), {{}}
"""
OURS = """\
from torchstone.models.subject import load_subject

subject = load_subject({target!r}, {shape!r})
model, (args, kwargs) = subject.model, subject.inputs({batch})
"""
GIVEN = """\
# `model`, `args` and `kwargs` are yours: model(*args, **kwargs)
model.eval()
"""
GROW = """\
leaves = torch.utils._pytree.tree_leaves((args, kwargs))
rows = next(value.shape[0] for value in leaves if isinstance(value, torch.Tensor) and value.dim() > 0)


def grown(value):
    has_rows = isinstance(value, torch.Tensor) and value.dim() > 0 and value.shape[0] == rows
    return torch.cat([value] * {times}) if has_rows else value


args, kwargs = torch.utils._pytree.tree_map(grown, (args, kwargs))
"""
TAIL = """\


if __name__ == "__main__":
    print(run())
"""
STAND_IN = """\

def loss_of(model, args, kwargs):  # put your own loss in place of this stand-in
    leaves = torch.utils._pytree.tree_leaves(model(*args, **kwargs))
    tensors = [value for value in leaves if isinstance(value, torch.Tensor) and value.is_floating_point()]
    return torch.stack([tensor.float().square().mean() for tensor in tensors]).sum()
"""
OUR_LOSS = """\
from torchstone.models.inputs import Inputs
from torchstone.training.step import lesson_of

lesson = lesson_of(subject)


def loss_of(model, args, kwargs):  # put your own loss in place of this one
    rows = next(value.shape[0] for value in torch.utils._pytree.tree_leaves((args, kwargs)) if torch.is_tensor(value))
    return lesson.loss(model, Inputs(args, kwargs), lesson.targets_for(rows).to({device!r}))
"""
CHECKPOINTED = """\
import functools

from torch.utils.checkpoint import checkpoint

lists = [one for one in model.modules() if isinstance(one, (torch.nn.ModuleList, torch.nn.Sequential)) and len(one) > 1]
for part in max(lists, key=len, default=[]):  # the layers whose activations are computed anew on the way back
    part.forward = functools.partial(checkpoint, part.forward, use_reentrant=False)
"""
PREPARE = """\
model.train()
optimizer = torch.optim.Adam(model.parameters(), lr={rate}{fused})
called = {called}

"""
STEP = """\

def run():
    with {modes}:
        loss = loss_of(called, args, kwargs)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return loss.detach()
"""
STEP_IN_PARTS = """\
leaves = torch.utils._pytree.tree_leaves((args, kwargs))
rows = next(value.shape[0] for value in leaves if isinstance(value, torch.Tensor) and value.dim() > 0)


def part_of(value, part):
    has_rows = isinstance(value, torch.Tensor) and value.dim() > 0 and value.shape[0] == rows
    return value.chunk({parts})[part] if has_rows else value


def run():
    for part in range({parts}):
        taken = torch.utils._pytree.tree_map(lambda value: part_of(value, part), (args, kwargs))
        with {modes}:
            loss = loss_of(called, *taken)
        (loss / {parts}).backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return loss.detach()
"""


def emit(
    target: str | None, setup: Setup, input_shape: str | None = None, train: bool = False, has_loader: bool = False
) -> str:
    """The whole file; without a target, the lines for a model that is there already."""
    plain, times = without_batch(setup), times_grown(setup)
    grow = GROW.format(times=times) if times > 1 else ""
    if target is None:
        return GIVEN + grow + _emit_body(None, plain, train)
    head = HEAD.format(target=target, words=setup.words, what="one training step" if train else "one call")
    return head + _load(target, input_shape, train, has_loader) + grow + _emit_body(target, plain, train) + TAIL


def _emit_body(target: str | None, setup: Setup, train: bool) -> str:
    return _emit_step(target, setup) if train else load_engine(setup.engine).emit(setup)


def _emit_step(target: str | None, setup: Setup) -> str:
    called = "torch.compile(model)" if setup.engine.partition(":")[0] == "compile" else "model"
    fused = ", fused=True" if FUSED in setup.options else ""
    modes, parts = emit_modes(setup, "torch.enable_grad()"), parts_of(setup)
    step = PREPARE.format(rate=LEARNING_RATE, fused=fused, called=called)
    step += STEP.format(modes=modes) if parts == 1 else STEP_IN_PARTS.format(modes=modes, parts=parts)
    checkpointed = CHECKPOINTED if CHECKPOINTING in setup.options else ""
    loss = OUR_LOSS.format(device=setup.device) if target is not None and _is_ours(target) else STAND_IN
    return emit_placing(setup) + loss + checkpointed + step


def _is_ours(target: str) -> bool:
    return not is_own(target) or target.startswith("hf:")


def _load(target: str, input_shape: str | None, train: bool, has_loader: bool) -> str:
    if _is_ours(target):
        return OURS.format(target=target, shape=input_shape, batch=2 if train else 1)
    place, _, name = target.rpartition(":")
    unpack = UNPACK if input_shape is None else WITH_SHAPE
    batch = FIRST_BATCH if has_loader else ""
    taken = unpack.format(name=name, shape=(input_shape or "").replace("x", ", "), seed=SEED, batch=batch)
    seeded = SEEDED.format(seed=SEED)
    if not place.endswith(".py"):
        return seeded + MODULE.format(place=place) + taken
    path = Path(place).resolve()
    return seeded + OWN.format(folder=str(path.parent), stem=path.stem, path=str(path)) + taken
