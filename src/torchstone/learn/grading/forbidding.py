"""What an exercise rules out, seen when it is called, by whatever name: functions, ops, and plain Python functions.

Torch's own hooks see what dispatches, `softmax` and `aten::_softmax` alike, in every thread. Functions that torch wrote
in plain Python, such as `torch.autograd.functional.hvp`, pass both by: they are named with their module, and stand-ins
that write down the call are put in their place before the learner's file is imported. A process that the learner's
code forks writes into memory that it shares with this one; a program that it starts anew nobody can look into, so that
is written down too. Nothing here raises in the learner's code, so a `try/except` around everything hides nothing.
"""

import contextlib
import functools
import importlib
import inspect
import mmap
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import torch

from torchstone.learn.grading.checks import current_line, current_place
from torchstone.learn.grading.hooks import in_main_thread, listening, op_name
from torchstone.learn.verdicts import Place

Found = dict[str, Place | None]
PROGRAM = "another program"
"""What is found where the learner's code starts one."""
STARTING_EVENTS = frozenset({"subprocess.Popen", "os.posix_spawn", "os.system", "os.exec"})
_open: "list[Forbidden]" = []
"""One for each watch that is open: calls of plain functions and started programs are told to all."""
_pages: list[mmap.mmap] = []
"""Of watches that were closed, for the next ones: there is a watch for every call, and a new page takes long."""


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
        for watch in _open:
            watch.note(name)
        return function(*args, **kwargs)

    for owner in {module, sys.modules[function.__module__]}:
        if getattr(owner, own, None) is function:
            setattr(owner, own, stand_in)


class Forbidden:
    """Listens for some names, and writes down which are called, and where first."""

    def __init__(self, names: Collection[str], only_by_the_learner: bool) -> None:
        self.names = names
        self.only_by_the_learner = only_by_the_learner
        self.found: Found = {}
        self.numbers = {name: number for number, name in enumerate((*names, PROGRAM))}
        self.shared = _pages.pop() if _pages else mmap.mmap(-1, mmap.PAGESIZE)
        """One byte for each name: what a forked process writes here, this one can read."""

    def on_function(self, name: str, args: tuple[Any, ...]) -> None:
        if name in self.names:
            self.note(name)

    def on_op(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if name.lstrip("_") in self.names:
            self.note(name.lstrip("_"))

    def on_result(self, result: Any) -> None:
        """What comes out does not matter here."""

    def note(self, name: str) -> None:
        if name in self.found or (self.only_by_the_learner and in_main_thread() and not current_line()):
            return
        self.found[name] = current_place()
        self.shared[self.numbers[name]] = 1

    def collect(self) -> None:
        """Take over what other processes found; the last that is done with it."""
        for name, number in self.numbers.items():
            if self.shared[number]:
                self.found.setdefault(name, None)
        self.shared[: len(self.numbers)] = bytes(len(self.numbers))
        _pages.append(self.shared)


@contextmanager
def watch_for(names: Collection[str], only_by_the_learner: bool = False) -> Iterator[Found]:
    """Which of `names` are called inside: as functions, as ops (without leading underscores), as plain functions.

    `only_by_the_learner`: only where the learner's file is on the stack, or in a thread; for a check as a whole, whose
    reference may well call what the learner may not.
    """
    if not names:
        yield {}
        return
    watch = Forbidden(names, only_by_the_learner)
    _open.append(watch)
    try:
        # Of plain functions their stand-ins tell: with those alone nothing else need be listened to.
        with listening(watch) if any("." not in name for name in names) else contextlib.nullcontext():
            yield watch.found
    finally:
        _open.remove(watch)
        watch.collect()


def tell_of_another_process(names: Collection[str]) -> None:
    """Have those names found by every open watch: a process that shares no memory with this one called them."""
    for watch in _open:
        for name in names:
            watch.shared[watch.numbers[name]] = 1


def see_programs() -> None:
    """Have programs that the learner's code starts written down; for good, before the learner's file is imported."""
    sys.addaudithook(_see_event)
    with contextlib.suppress(ImportError):  # Windows starts its processes by another function, which audits
        import _posixsubprocess

        start = _posixsubprocess.fork_exec

        def start_seen(*args: Any) -> int:
            """What multiprocessing calls by this name; no event tells of it."""
            _see_event("os.posix_spawn", ())
            return start(*args)

        _posixsubprocess.fork_exec = start_seen


def see_operators() -> None:
    """Have calls of `torch.ops.aten.…` told by name: a composite op is taken apart before any hook sees it."""
    for kind in (torch._ops.OpOverloadPacket, torch._ops.OpOverload):
        _tell_calls(kind)


def _tell_calls(kind: Any) -> None:
    call = kind.__call__

    @functools.wraps(call)
    def told(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        for watch in _open:
            watch.on_op(op_name(self), args, kwargs)
        return call(self, *args, **kwargs)

    kind.__call__ = told


def _see_event(event: str, arguments: tuple[Any, ...]) -> None:
    if event in STARTING_EVENTS and _open and current_line() and not _compiles():
        for watch in _open:
            watch.note(PROGRAM)


def _compiles() -> bool:
    """Whether it is torch.compile that starts its compiler."""
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        if frame.f_globals.get("__name__", "").startswith(("torch._inductor", "torch.utils.cpp_extension", "triton")):
            return True
    return False
