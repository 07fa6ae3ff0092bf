"""What code really does, seen from inside torch: ops, waits for the device, live memory, functions, numbers read.

It listens to torch's own hooks in every thread (see `hooks.py`) and records; it never raises.
"""

import sys
import threading
import weakref
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch

from torchstone.learn.grading.checks import current_line, current_place
from torchstone.learn.grading.hooks import listening
from torchstone.learn.grading.session import session
from torchstone.learn.verdicts import Place
from torchstone.pretend.machine import machine

WAITING_OPS = frozenset({"_local_scalar_dense", "equal", "nonzero", "masked_select", "_unique2", "is_nonzero"})
"""Ops whose result, or its shape, the host must wait for."""
COPYING_OPS = frozenset({"_to_copy", "copy_"})
READING_FUNCTIONS = frozenset({"tolist", "numpy", "__array__", "__dlpack__", "storage", "untyped_storage"})
"""Reads by the host that never reach the dispatcher when the tensor is on the CPU already; elsewhere most do."""


@dataclass
class Seen:
    """What happened inside a `with watch()`."""

    ops: Counter[str] = field(default_factory=Counter)
    """How often each op ran, by its name without namespace and overload."""
    lines: Counter[tuple[str, int]] = field(default_factory=Counter)
    """How often each op ran at each line of the learner's file."""
    python: Counter[int] = field(default_factory=Counter)
    """How often each line of the learner's file ran; counted by `watch(count_lines=True)` alone."""
    reads: list[tuple[str, int, int]] = field(default_factory=list)
    """What the host read of the graded device: how, how many numbers, at which line."""
    waits: list[tuple[str, Place | None]] = field(default_factory=list)
    """What made the host wait for the device, and where; a `synchronize` is seen on the pretend device alone."""
    crossings: list[tuple[str, Place | None]] = field(default_factory=list)
    """What was copied between host and device, waited for or not, and where."""
    functions: dict[str, Place | None] = field(default_factory=dict)
    """The torch functions called, and where each was called first."""
    calls: Counter[str] = field(default_factory=Counter)
    """How often each torch function was called."""
    peak_bytes: int = 0
    """The most bytes of storages made inside that lived at one time."""
    live_bytes: int = 0
    """The bytes of storages made inside that still live."""


@contextmanager
def watch(count_lines: bool = False) -> Iterator[Seen]:
    """Record what torch does inside; `seen` stays readable afterwards."""
    seen = Seen()
    with _synchronizations(seen), listening(Watch(seen)):
        if not count_lines:
            yield seen
            return
        with _counting_lines(seen.python):
            yield seen


@contextmanager
def _synchronizations(seen: Seen) -> Iterator[None]:
    before = machine.on_synchronize
    machine.on_synchronize = lambda: seen.waits.append(("synchronize", current_place()))
    try:
        yield
    finally:
        machine.on_synchronize = before


@contextmanager
def _counting_lines(python: Counter[int]) -> Iterator[None]:
    """Lines of the learner's file as they run, comprehensions and generators too: they come round to their line."""
    path = str(session.path)

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename != path:
            return None
        if event in ("line", "call"):
            python[frame.f_lineno] += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    threading.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)
        threading.settrace(None)


class Watch:
    """Writes down every function and op, and follows the storages that ops make until they die."""

    def __init__(self, seen: Seen) -> None:
        self.seen = seen
        self.known: set[int] = set()
        self.on_host: set[tuple[int, int]] = set()
        """Storages, at a version, of which the host has a copy by `.cpu()`; on a graded CPU that is the same tensor."""

    def on_function(self, name: str, args: tuple[Any, ...]) -> None:
        self.seen.calls[name] += 1
        if name not in self.seen.functions:
            self.seen.functions[name] = current_place()
        if name not in READING_FUNCTIONS and name != "cpu":
            return
        tensor = args[0]
        if not _is_of_the_graded_cpu(tensor):
            return
        if not self._is_copied(tensor):
            self.seen.waits.append((name, current_place()))
        if name == "cpu":
            self.on_host.add(_version_of(tensor))
        else:
            self.seen.reads.append((name, tensor.numel(), current_line()))

    def _is_copied(self, tensor: torch.Tensor) -> bool:
        return bool(self.on_host) and _version_of(tensor) in self.on_host

    def on_op(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.seen.ops[name] += 1
        self.seen.lines[name, current_line()] += 1
        arguments = leaves((args, kwargs))
        crosses = _crosses(name, arguments)
        if crosses:
            self.seen.crossings.append((name.lstrip("_"), current_place()))
        reads = _reads(name, arguments) and not self._is_copied(_tensors(arguments)[0])
        if reads or (crosses and not _is_left_to_the_device(name, args, kwargs)):
            self.seen.waits.append((name.lstrip("_"), current_place()))
        if name == "_local_scalar_dense" and _is_on_graded_device(arguments):
            self.seen.reads.append(("item", 1, current_line()))
        elif crosses and _comes_back(name, args, kwargs):
            self.seen.reads.append((name.lstrip("_"), _tensors(arguments)[0].numel(), current_line()))
        for tensor in arguments:
            self._remember(tensor, new=False)

    def on_result(self, result: Any) -> None:
        for tensor in leaves(result):
            self._remember(tensor, new=True)

    def _remember(self, tensor: Any, new: bool) -> None:
        if not isinstance(tensor, torch.Tensor) or tensor.layout is not torch.strided:
            return
        storage = _storage_of(tensor)
        key = storage._cdata
        if key in self.known:
            return
        self.known.add(key)
        size = storage.nbytes() if new else 0
        self.seen.live_bytes += size
        self.seen.peak_bytes = max(self.seen.peak_bytes, self.seen.live_bytes)
        weakref.finalize(storage, self._forget, key, size)

    def _forget(self, key: int, size: int) -> None:
        self.known.discard(key)
        self.seen.live_bytes -= size


def _storage_of(tensor: torch.Tensor) -> torch.UntypedStorage:
    """Without telling ourselves that someone asked for it."""
    with torch._C.DisableTorchFunction():
        return tensor.untyped_storage()


def _version_of(tensor: torch.Tensor) -> tuple[int, int]:
    return _storage_of(tensor)._cdata, 0 if tensor.is_inference() else tensor._version


def leaves(value: Any) -> list[Any]:
    """What an op was given or returns, without the lists and tuples around it; quick, for use at every op."""
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in (leaves(item) if isinstance(item, (list, tuple, dict)) else (item,))]
    return leaves(list(value.values())) if isinstance(value, dict) else [value]


def _tensors(arguments: list[Any]) -> list[torch.Tensor]:
    return [item for item in arguments if isinstance(item, torch.Tensor)]


def _is_of_the_graded_cpu(tensor: Any) -> bool:
    """A read of a copy on the host waits for nothing; where the CPU is graded, it stands for the device."""
    return isinstance(tensor, torch.Tensor) and tensor.device.type == "cpu" == session.device.type


def _is_on_graded_device(arguments: list[Any]) -> bool:
    graded = session.device.type
    return any(tensor.device.type == graded for tensor in _tensors(arguments))


def _reads(name: str, arguments: list[Any]) -> bool:
    """Whether the host needs the values of the device, or a shape that depends on them."""
    if name in WAITING_OPS:
        return _is_on_graded_device(arguments)
    if name in ("index", "index_put", "index_put_"):
        by_mask = any(isinstance(item, torch.Tensor) and item.dtype == torch.bool for item in arguments[1:])
        return by_mask and _is_on_graded_device(arguments)
    return False


def _crosses(name: str, arguments: list[Any]) -> bool:
    """Whether something is copied between host and device."""
    if name == "_local_scalar_dense":
        return any(tensor.device.type != "cpu" for tensor in _tensors(arguments))
    if name not in COPYING_OPS:
        return False
    devices = {tensor.device.type for tensor in _tensors(arguments)}
    devices |= {item.type for item in arguments if isinstance(item, torch.device)}
    return "cpu" in devices and len(devices) > 1


def _comes_back(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a crossing copy is one to the host."""
    if name == "copy_":
        return bool(args[0].device.type == "cpu")
    target = kwargs.get("device")
    return target is not None and target.type == "cpu"


def _is_left_to_the_device(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a copy may arrive later. Only one *to* a device can: the host needs what comes back at once."""
    if name == "copy_":
        asked = kwargs.get("non_blocking", args[2] if len(args) > 2 else False)
        return bool(asked) and args[0].device.type != "cpu"
    target = kwargs.get("device")
    return bool(kwargs.get("non_blocking")) and target is not None and target.type != "cpu"
