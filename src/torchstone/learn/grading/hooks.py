"""Torch's two hooks, in every thread: who listens is told of each torch function and each op that runs.

A TorchDispatchMode sees every op that reaches a device, however it was written; a TorchFunctionMode sees the names that
a person calls. Both are the thread's own, so a call handed to a thread would escape them: `follow_threads` hooks each
thread as it starts, and whoever listens hears of what it does from then on. Listeners record and never raise, so a
`try/except` around everything hides nothing.
"""

import _thread
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Protocol

from torch._C import DisableTorchFunction
from torch._ops import OpOverload
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode, _pop_mode, _push_mode


class Listener(Protocol):
    """Who wants to know."""

    def on_function(self, name: str, args: tuple[Any, ...]) -> None:
        """A torch function of that name is about to be called."""

    def on_op(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """An op of that name, without namespace and overload, is about to run."""

    def on_result(self, result: Any) -> None:
        """What the op returned."""


CALL_OP = OpOverload.__call__
"""Taken now: `forbidding` puts another in its place."""
_listeners: list[Listener] = []
_hooked = threading.local()


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Tell the listener of everything inside, and of what threads do meanwhile."""
    _listeners.append(listener)
    try:
        with _hooks():
            yield
    finally:
        _listeners.remove(listener)


@contextmanager
def _hooks() -> Iterator[None]:
    """One pair of modes for each thread, however many listen."""
    if getattr(_hooked, "depth", 0):
        yield
        return
    _hooked.depth = 1
    try:
        with FunctionHook(), OpHook():  # type: ignore[no-untyped-call]
            yield
    finally:
        _hooked.depth = 0


@contextmanager
def unheard() -> Iterator[None]:
    """Inside, nobody is told: for what grading itself computes, of which there is more than of the learner's."""
    if not getattr(_hooked, "depth", 0) or not isinstance(_get_current_dispatch_mode(), OpHook):
        yield
        return
    hook = _pop_mode()
    try:
        with DisableTorchFunction():
            yield
    finally:
        _push_mode(hook)


class FunctionHook(TorchFunctionMode):
    """Tells of the torch functions that are called."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        if name == "__get__":  # an attribute such as .data or .T
            name = getattr(getattr(func, "__self__", None), "__name__", name)
        for listener in _listeners:
            listener.on_function(name, args)
        return func(*args, **(kwargs or {}))


class OpHook(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Tells of the ops that run, and of what they return."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Torch would otherwise import all of torch.compile, some seconds, on the first op seen."""
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = op_name(func)
        for listener in _listeners:
            listener.on_op(name, args, kwargs)
        # By torch's own way: the one that tells of calls by name has nothing to add here.
        result = CALL_OP(func, *args, **kwargs) if type(func) is OpOverload else func(*args, **kwargs)
        for listener in _listeners:
            listener.on_result(result)
        return result


@cache
def op_name(func: Any) -> str:
    """`aten::add.Tensor` as `add`."""
    name: str = getattr(func, "_qualified_op_name", "") or (func.name() if hasattr(func, "name") else str(func))
    return name.split("::")[-1].split(".")[0]


def follow_threads() -> None:
    """Hook every thread that is started from now on, by whatever name; once in a process, before the learner's file."""
    start = _thread.start_new_thread

    def start_hooked(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Any = None) -> int:
        return start(_run_hooked, (function, args, kwargs or {}))

    for module in (_thread, threading):
        for name in ("start_new_thread", "start_new", "_start_new_thread"):
            if getattr(module, name, None) is not None:
                setattr(module, name, start_hooked)
    _follow_joinable()


def _follow_joinable() -> None:
    """Python 3.13 starts its threads by another function."""
    start = getattr(threading, "_start_joinable_thread", None)
    if start is None:
        return

    def start_hooked(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return start(lambda: _run_hooked(function, (), {}), *args, **kwargs)

    threading._start_joinable_thread = start_hooked  # type: ignore[attr-defined]
    _thread.start_joinable_thread = start_hooked  # type: ignore[attr-defined]


def _run_hooked(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    with _hooks():
        function(*args, **kwargs)


def in_main_thread() -> bool:
    return threading.get_ident() == threading.main_thread().ident
