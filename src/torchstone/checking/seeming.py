"""Has a tracing process look, to code outside torch, like a machine with the device that is asked for.

Programs choose their way by `torch.backends.mps.is_available()`, by `x.device.type` and by `x.is_mps`. On the phantom
they would choose the wrong one, and the verdict would be on code that never runs there. So everybody's code sees the
device by its name, and so do torch's layers; torch's machinery, which has to work here, goes on seeing what is here.
"""

import contextlib
import re
import sys
from collections.abc import Callable, Iterator
from functools import wraps
from importlib import import_module
from types import FrameType
from typing import Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensor

from torchstone.checking import phantom
from torchstone.checking.places import is_somebodys, is_somebodys_or_a_layers, source_of

KINDS = ("mps", "cuda", "xpu")
HOMES = {
    "mps": {"torch.backends.mps": ("is_available", "is_built"), "torch.mps": ("is_available", "device_count")},
    "cuda": {"torch.cuda": ("is_available", "device_count")},
    "xpu": {"torch.xpu": ("is_available", "device_count")},
}
"""Where a program asks whether a kind of device is there. None of these is called here: they are replaced."""
GETTERS = {getattr(Tensor, f"is_{kind}").__get__: kind for kind in (*KINDS, "cpu")}
"""The attributes that tell a kind of device by yes or no."""
DEVICE = Tensor.device.__get__
LACKING = re.compile(
    r"not compiled with (cuda|xpu)|without mps backend|from the '(mps|cuda|xpu)|not linked with support for"
    r"|no nvidia driver|accelerator|requires (cuda|xpu) support|instantiate dummy base class"
    r"|nvtx functions not installed",
    re.IGNORECASE,
)
"""What torch says where a device is not here, and where it finds none."""
misled: dict[str, None] = {}
"""Lines of people's own code that were told of the phantom, since torch had called them from a function of its own."""
_hidden = False


def seem(kind: str) -> None:
    """Have this process seem to have one device of the kind, and no other; for good: in a process of its own. The CPU
    is there anyway."""
    for one in KINDS:
        _answer(one, one == kind)
    if kind not in KINDS:
        return
    accelerator = torch.device(kind)
    _replace(torch.accelerator, "is_available", lambda: True)
    _replace(torch.accelerator, "current_accelerator", lambda check_available=False: accelerator)
    _replace(torch.accelerator, "device_count", lambda: 1)
    for name in ("synchronize", "empty_cache"):  # nothing to wait for, nothing to give back
        _replace(import_module(f"torch.{kind}"), name, lambda *args, **kwargs: None)
    _show(torch.device(kind, 0))


def lacks_a_device(words: str) -> bool:
    """Whether torch refuses for want of a device that this process only seems to have."""
    return LACKING.search(words) is not None


def _answer(kind: str, there: bool) -> None:
    for home, names in HOMES[kind].items():
        for name in names:
            answer: bool | int = int(there) if name == "device_count" else there
            _replace(import_module(home), name, lambda answer=answer: answer)


def _replace(home: Any, name: str, answer: Callable[..., Any]) -> None:
    """Of a function of torch, for everybody but torch."""
    original = getattr(home, name)

    @wraps(original)
    def function(*args: Any, **kwargs: Any) -> Any:
        return (answer if _sees(sys._getframe(1)) else original)(*args, **kwargs)

    setattr(home, name, function)


def _show(device: torch.device) -> None:
    """Have tensors on the phantom say that they are on the device."""
    original: Any = FakeTensor.device

    def find(tensor: FakeTensor) -> torch.device:
        found: torch.device = original.fget(tensor)
        frame = sys._getframe(1)
        if found.type != phantom.NAME or not _sees(frame):
            return found
        if _hidden and is_somebodys(frame.f_code.co_filename):
            misled[source_of(frame)] = None
        return found if _hidden else device

    FakeTensor.device = property(find, original.fset)  # type: ignore[assignment, method-assign]


@contextlib.contextmanager
def hidden(is_hidden: bool) -> Iterator[None]:
    """Within, `device` tells of the phantom: torch runs a function of its own, in which a device that is named is not
    translated any more. Or, with False, a person's own code is called from within such a function."""
    global _hidden
    before, _hidden = _hidden, is_hidden
    try:
        yield
    finally:
        _hidden = before


def _sees(frame: FrameType) -> bool:
    return is_somebodys_or_a_layers(frame.f_code.co_filename)
