"""What an exercise rules out, seen when it is called, by whatever name: functions, ops, and plain Python functions.

Two of torch's own hooks see what dispatches, `softmax` and `aten::_softmax` alike. Functions that torch wrote in plain
Python, such as `torch.autograd.functional.hvp`, pass both by: they are named with their module, and stand-ins that
write down the call are put in their place before the learner's file is imported. Nothing here raises in the
learner's code, so a `try/except` around everything hides nothing.
"""

import functools
import importlib
import inspect
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from torchstone.learn.grading.checks import current_place
from torchstone.learn.grading.watching import op_name
from torchstone.learn.verdicts import Place

Found = dict[str, Place | None]
_listening: list[Found] = []
"""Where calls of plain functions are written down: one for each watch that is open."""


def prepare(names: Collection[str]) -> None:
    """Before the learner's file is imported: make the plain functions visible, and refuse what nobody would see."""
    for name in names:
        if "." in name:
            _put_stand_in(name)
        elif not can_be_seen(name):
            raise ValueError(
                f"FORBIDDEN has {name!r}, and no call of that name can be seen: it is no op and no function that "
                "dispatches; a plain Python function is named with its module, as torch.autograd.functional.hvp"
            )


def can_be_seen(name: str) -> bool:
    """Whether a call of a function or op of that name passes one of torch's two hooks."""
    if any(hasattr(torch.ops.aten, op) for op in (name, f"_{name}")):
        return True
    owners = (torch, torch.Tensor, torch.nn.functional, torch.linalg, torch.special, torch.fft)
    return any(_dispatches(inspect.getattr_static(owner, name, None)) for owner in owners)


def _dispatches(function: Any) -> bool:
    """Torch's own compiled functions do; those in Python only where they ask for it."""
    if isinstance(function, FunctionType):
        return "handle_torch_function" in inspect.unwrap(function).__code__.co_names
    return inspect.isroutine(function)


def _put_stand_in(name: str) -> None:
    """In the module that the name says, and in the one where the function was written."""
    place, _, own = name.rpartition(".")
    module = importlib.import_module(place)
    function = getattr(module, own, None)
    if not isinstance(function, FunctionType):
        raise ValueError(f"FORBIDDEN has {name!r}, which is no plain Python function")

    @functools.wraps(function)
    def stand_in(*args: Any, **kwargs: Any) -> Any:
        for found in _listening:
            found.setdefault(name, current_place())
        return function(*args, **kwargs)

    for owner in {module, sys.modules[function.__module__]}:
        if getattr(owner, own, None) is function:
            setattr(owner, own, stand_in)


class ForbiddenFunctions(TorchFunctionMode):
    """Writes down which of some names are called, and where; quick enough to be around every call."""

    def __init__(self, names: Collection[str], found: Found) -> None:
        super().__init__()
        self.names = names
        self.found = found

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        if name in self.names and name not in self.found:
            self.found[name] = current_place()
        return func(*args, **(kwargs or {}))


class ForbiddenOps(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """The same for the ops that arrive at the dispatcher, by whatever name they were called."""

    def __init__(self, names: Collection[str], found: Found) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.names = names
        self.found = found

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = op_name(func).lstrip("_")
        if name in self.names and name not in self.found:
            self.found[name] = current_place()
        return func(*args, **(kwargs or {}))


@contextmanager
def watch_for(names: Collection[str]) -> Iterator[Found]:
    """Which of `names` are called inside: as functions, as ops (without leading underscores), as plain functions."""
    found: Found = {}
    if not names:
        yield found
        return
    _listening.append(found)
    try:
        with ForbiddenFunctions(names, found), ForbiddenOps(names, found):
            yield found
    finally:
        _listening.remove(found)
