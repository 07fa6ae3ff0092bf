"""What code really does, seen from inside torch: ops, waits for the device, live memory, functions called.

Two of torch's own hooks: a TorchDispatchMode sees every op that reaches a device, however it was written; a
TorchFunctionMode sees the names that a person calls, composite functions such as `einsum` among them. Both record
and never raise, so a `try/except` around everything hides nothing.
"""

import weakref
from collections import Counter
from collections.abc import Collection, Iterator
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

WAITING_OPS = frozenset({"_local_scalar_dense", "equal", "nonzero", "masked_select", "_unique2", "is_nonzero"})
"""Ops whose result, or its shape, the host must wait for."""
READING_FUNCTIONS = frozenset({"tolist", "numpy", "__array__", "cpu"})
"""Reads by the host that never reach the dispatcher when the tensor is on the CPU already."""


@dataclass
class Seen:
    """What happened inside a `with watch()`."""

    ops: Counter[str] = field(default_factory=Counter)
    """How often each op ran, by its name without namespace and overload."""
    lines: Counter[tuple[str, int]] = field(default_factory=Counter)
    """How often each op ran at each line of the learner's file."""
    waits: list[tuple[str, Place | None]] = field(default_factory=list)
    """What made the host wait for the device, and where."""
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
    with FunctionWatch(seen), DispatchWatch(seen):
        yield seen


class FunctionWatch(TorchFunctionMode):
    """Writes down the names of the torch functions that are called."""

    def __init__(self, seen: Seen) -> None:
        super().__init__()
        self.seen = seen

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        if name not in self.seen.functions:
            self.seen.functions[name] = current_place()
        if name in READING_FUNCTIONS:
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
        if _makes_host_wait(name, arguments):
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


class ForbiddenFunctions(TorchFunctionMode):
    """Writes down which of some names are called, and where; quick enough to be around every call."""

    def __init__(self, names: Collection[str], found: dict[str, Place | None]) -> None:
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

    def __init__(self, names: Collection[str], found: dict[str, Place | None]) -> None:
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
def watch_for(names: Collection[str]) -> Iterator[dict[str, Place | None]]:
    """Which of `names` are called inside, as functions or as ops (without leading underscores)."""
    found: dict[str, Place | None] = {}
    if not names:
        yield found
        return
    with ForbiddenFunctions(names, found), ForbiddenOps(names, found):
        yield found


@cache
def op_name(func: Any) -> str:
    """`aten::add.Tensor` as `add`."""
    name: str = func.name() if hasattr(func, "name") else str(func)
    return name.split("::")[-1].split(".")[0]


def _makes_host_wait(name: str, arguments: list[Any]) -> bool:
    if name in WAITING_OPS:
        return True
    if name in ("index", "index_put", "index_put_"):
        return any(isinstance(item, torch.Tensor) and item.dtype == torch.bool for item in arguments[1:])
    if name in ("_to_copy", "copy_"):
        tensors = [item for item in arguments if isinstance(item, torch.Tensor)]
        devices = {tensor.device.type for tensor in tensors}
        devices |= {item.type for item in arguments if isinstance(item, torch.device)}
        return "cpu" in devices and len(devices) > 1
    return False
