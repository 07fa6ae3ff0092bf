"""Plain code that puts a model and its inputs where and as a `Setup` says: what `models.placing` does, written out."""

from torchstone.models.placing import CHANNELS_LAST, TF32
from torchstone.records import Setup

MOVE = """\

def moved(value):
    if not isinstance(value, torch.Tensor):
        return value
    value = value.to({device!r}{dtype})
    return value{order}


args, kwargs = torch.utils._pytree.tree_map(moved, (args, kwargs))
"""
FLATTEN = """\
import dataclasses
from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten

with torch.inference_mode():
    output = model(*args, **kwargs)
    if dataclasses.is_dataclass(output) and torch.utils._pytree.tree_is_leaf(output):
        torch.export.register_dataclass(type(output))
    leaves, form = tree_flatten(output)
"""
RESTORE = """\

def run():
    tensors = [value for value in tree_leaves((args, kwargs)) if isinstance(value, torch.Tensor)]
    found = iter({called})
    filled = [torch.from_numpy(next(found)) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
    return tree_unflatten(filled, form)
"""


def emit_placing(setup: Setup) -> str:
    """Lines that change `model`, `args` and `kwargs` in place of themselves."""
    dtype = f", dtype=torch.{setup.dtype} if value.is_floating_point() else None" if setup.precision == "cast" else ""
    is_ordered = setup.memory_format == CHANNELS_LAST
    order = ".contiguous(memory_format=torch.channels_last) if value.dim() == 4 else value" if is_ordered else ""
    wanted = [f"model = model.to({setup.device!r})"] if setup.device != "cpu" else []
    wanted += [f"model = model.to(torch.{setup.dtype})"] if setup.precision == "cast" else []
    wanted += ["model = model.to(memory_format=torch.channels_last)"] if is_ordered else []
    wanted += ['torch.set_float32_matmul_precision("high")'] if setup.precision == TF32 else []
    lines = emit_threads(setup) + "".join(f"{line}\n" for line in wanted)
    if setup.device == "cpu" and not dtype and not order:
        return lines
    return lines + MOVE.format(device=setup.device, dtype=dtype, order=order)


def emit_threads(setup: Setup) -> str:
    """As many as the setup says; nothing where it does not."""
    return f"torch.set_num_threads({setup.threads})\n" if setup.threads is not None else ""


def emit_exported(setup: Setup, convert: str, called: str) -> str:
    """For an engine outside torch: the conversion, and a `run()` that puts its flat outputs into the model's own form;
    `called` gives them from `tensors`."""
    return emit_threads(setup) + FLATTEN + convert + RESTORE.format(called=called)


def emit_modes(setup: Setup, mode: str = "torch.inference_mode()") -> str:
    """What stands behind `with`."""
    if setup.precision != "autocast":
        return mode
    return f'{mode}, torch.autocast("{setup.device.split(":")[0]}", dtype=torch.{setup.dtype})'
