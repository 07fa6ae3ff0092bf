"""What code really does, seen from inside torch: ops, waits for the device, live memory, functions called.

Two of torch's own hooks: a TorchDispatchMode sees every op that reaches a device, however it was written; a
TorchFunctionMode sees the names that a person calls, composite functions such as `einsum` among them. Both record
and never raise, so a `try/except` around everything hides nothing.
"""

import weakref
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from torchstone.learn.grading.checks import current_line, current_place
from torchstone.learn.verdicts import Place
from torchstone.pretend.machine import machine

WAITING_OPS = frozenset({"_local_scalar_dense", "equal", "nonzero", "masked_select", "_unique2", "is_nonzero"})
"""Ops whose result, or its shape, the host must wait for."""
COPYING_OPS = frozenset({"_to_copy", "copy_"})
READING_FUNCTIONS = frozenset({"tolist", "numpy", "__array__", "cpu"})
"""Reads by the host that never reach the dispatcher when the tensor is on the CPU already; elsewhere they do."""


@dataclass
class Seen:
    """What happened inside a `with watch()`."""

    ops: Counter[str] = field(default_factory=Counter)
    """How often each op ran, by its name without namespace and overload."""
    lines: Counter[tuple[str, int]] = field(default_factory=Counter)
    """How often each op ran at each line of the learner's file."""
    waits: list[tuple[str, Place | None]] = field(default_factory=list)
    """What made the host wait for the device, and where; a `synchronize` is seen on the pretend device alone."""
    crossings: list[tuple[str, Place | None]] = field(default_factory=list)
    """What was copied between host and device, waited for or not, and where."""
    functions: dict[str, Place | None] = field(default_factory=dict)
    """The torch functions called, and where each was called first."""
    peak_bytes: int = 0
    """The most bytes of storages made inside that lived at one time."""
    live_bytes: int = 0
    """The bytes of storages made inside that still live."""


@contextmanager
def watch() -> Iterator[Seen]:
    """Record what torch does inside; `seen` stays readable afterwards."""
    seen = Seen()
    with _synchronizations(seen), FunctionWatch(seen), DispatchWatch(seen):
        yield seen


@contextmanager
def _synchronizations(seen: Seen) -> Iterator[None]:
    before = machine.on_synchronize
    machine.on_synchronize = lambda: seen.waits.append(("synchronize", current_place()))
    try:
        yield
    finally:
        machine.on_synchronize = before


class FunctionWatch(TorchFunctionMode):
    """Writes down the names of the torch functions that are called."""

    def __init__(self, seen: Seen) -> None:
        super().__init__()
        self.seen = seen

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        if name not in self.seen.functions:
            self.seen.functions[name] = current_place()
        if name in READING_FUNCTIONS and args[0].device.type == "cpu":
            self.seen.waits.append((name, current_place()))
        return func(*args, **(kwargs or {}))


class DispatchWatch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Writes down every op, and follows the storages that ops make until they die."""

    def __init__(self, seen: Seen) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.seen = seen
        self.known: set[int] = set()

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Torch would otherwise import all of torch.compile, some seconds, on the first op seen."""
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = op_name(func)
        self.seen.ops[name] += 1
        self.seen.lines[name, current_line()] += 1
        arguments = tree_leaves((args, kwargs))
        crosses = _crosses(name, arguments)
        if crosses:
            self.seen.crossings.append((name.lstrip("_"), current_place()))
        if _reads(name, arguments) or (crosses and not _is_left_to_the_device(name, args, kwargs)):
            self.seen.waits.append((name.lstrip("_"), current_place()))
        for tensor in arguments:
            self._remember(tensor, new=False)
        result = func(*args, **kwargs)
        for tensor in tree_leaves(result):
            self._remember(tensor, new=True)
        return result

    def _remember(self, tensor: Any, new: bool) -> None:
        if not isinstance(tensor, torch.Tensor) or tensor.layout is not torch.strided:
            return
        storage = tensor.untyped_storage()
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


@cache
def op_name(func: Any) -> str:
    """`aten::add.Tensor` as `add`."""
    name: str = func.name() if hasattr(func, "name") else str(func)
    return name.split("::")[-1].split(".")[0]


def _reads(name: str, arguments: list[Any]) -> bool:
    """Whether the host needs the values, or a shape that depends on them."""
    if name in WAITING_OPS:
        return True
    if name in ("index", "index_put", "index_put_"):
        return any(isinstance(item, torch.Tensor) and item.dtype == torch.bool for item in arguments[1:])
    return False


def _crosses(name: str, arguments: list[Any]) -> bool:
    """Whether something is copied between host and device."""
    tensors = [item for item in arguments if isinstance(item, torch.Tensor)]
    if name == "_local_scalar_dense":
        return any(tensor.device.type != "cpu" for tensor in tensors)
    if name not in COPYING_OPS:
        return False
    devices = {tensor.device.type for tensor in tensors}
    devices |= {item.type for item in arguments if isinstance(item, torch.device)}
    return "cpu" in devices and len(devices) > 1


def _is_left_to_the_device(name: str, args: Any, kwargs: Any) -> bool:
    """Whether a copy may arrive later. Only one *to* a device can: the host needs what comes back at once."""
    if name == "copy_":
        asked = kwargs.get("non_blocking", args[2] if len(args) > 2 else False)
        return bool(asked) and args[0].device.type != "cpu"
    target = kwargs.get("device")
    return bool(kwargs.get("non_blocking")) and target is not None and target.type != "cpu"
