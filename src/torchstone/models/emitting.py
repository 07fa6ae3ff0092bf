"""Plain code that puts a model and its inputs where and as a `Setup` says: what `models.placing` does, written out."""

from torchstone.models.placing import CHANNELS_LAST
from torchstone.records import Setup

MOVE = """\
def moved(value):
    if not isinstance(value, torch.Tensor):
        return value
    value = value.to({device!r}{dtype})
    return value{order}
"""
APPLY = """\
args = tuple(moved(value) for value in args)
kwargs = {name: moved(value) for name, value in kwargs.items()}
"""


def emit_placing(setup: Setup) -> str:
    """Lines that change `model`, `args` and `kwargs` in place of themselves."""
    dtype = f", dtype=torch.{setup.dtype} if value.is_floating_point() else None" if setup.precision == "cast" else ""
    is_ordered = setup.memory_format == CHANNELS_LAST
    order = ".contiguous(memory_format=torch.channels_last) if value.dim() == 4 else value" if is_ordered else ""
    wanted = [f"torch.set_num_threads({setup.threads})"] if setup.threads is not None else []
    wanted += [f"model = model.to({setup.device!r})"] if setup.device != "cpu" else []
    wanted += [f"model = model.to(torch.{setup.dtype})"] if setup.precision == "cast" else []
    wanted += ["model = model.to(memory_format=torch.channels_last)"] if is_ordered else []
    lines = "\n".join(wanted)
    if setup.device == "cpu" and not dtype and not order:
        return f"{lines}\n"
    move = MOVE.format(device=setup.device, dtype=dtype, order=order)
    apply = (
        "args = tuple(moved(value) for value in args)\nkwargs = {name: moved(value) for name, value in kwargs.items()}"
    )
    return f"{lines}\n\n{move}\n{apply}\n"


def emit_modes(setup: Setup, mode: str = "torch.inference_mode()") -> str:
    """What stands behind `with`."""
    if setup.precision != "autocast":
        return mode
    return f'{mode}, torch.autocast("{setup.device.split(":")[0]}", dtype=torch.{setup.dtype})'
