"""The distinct calls of one step, recorded on the CPU with their real values: what replay and probes put to a device.

A training step has some hundred distinct calls (operator, shapes, strides, dtypes, scalars) among many thousands. What
only the CPU runs (its flash attention, oneDNN's layers) is left out, because a device runs something else there.
"""

from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

from torchstone.checking.hooks import copied
from torchstone.checking.losses import loss_of
from torchstone.checking.parity import copy_inputs, train_without_chance
from torchstone.checking.places import Places
from torchstone.models.inputs import Inputs, move_inputs

ONLY_ON_CPU = ("_for_cpu", "mkldnn", "_local_scalar_dense", "aten::empty", "aten::new_empty")
MOST_BYTES = 4 << 30
"""Of recorded values, on disk."""


class ListedCall(msgspec.Struct, frozen=True, kw_only=True):
    """One distinct call: where it comes from first, and how often it is made."""

    number: int
    op: str
    """`aten::add.Tensor`"""
    dtypes: tuple[str, ...]
    phase: str
    module: str
    source: str
    calls: int = 1


class Call(NamedTuple):
    """A recorded call with its values."""

    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def record(model: nn.Module, inputs: Inputs, folder: Path, train: bool) -> None:
    """Run one step on the CPU and keep each distinct call in the folder."""
    model = copied(model).cpu()
    train_without_chance(model) if train else model.eval()
    moved = move_inputs(copy_inputs(inputs), "cpu")
    with Places(model) as places, torch.set_grad_enabled(train), _Recorder(places, folder) as calls:
        output = model(*moved.args, **moved.kwargs)
        if train:
            places.phase = "backward"
            loss_of(output).backward()  # type: ignore[no-untyped-call]
    (folder / "calls.json").write_bytes(msgspec.json.encode(calls.listed))


def listed_calls(folder: Path) -> list[ListedCall]:
    """In the order of the step; none where nothing was recorded."""
    path = folder / "calls.json"
    return msgspec.json.decode(path.read_bytes(), type=list[ListedCall]) if path.exists() else []


def load_call(folder: Path, number: int) -> Call:
    """With its values, on the CPU."""
    name, *given = torch.load(folder / f"{number}.pt", weights_only=False)
    args, kwargs = tree_map(_unpack, given)
    return Call(find_operator(name), tuple(args), kwargs)


def find_operator(name: str) -> Any:
    """By `aten::add.Tensor`."""
    base, _, overload = name.removeprefix("aten::").partition(".")
    return getattr(getattr(torch.ops.aten, base), overload or "default")


def copy_to(value: Any, device: str, dtype: torch.dtype | None = None) -> Any:
    """A copy with every tensor on the device, in the same strides."""

    def move(leaf: Any) -> Any:
        if isinstance(leaf, torch.device):
            return torch.device(device)
        if not isinstance(leaf, Tensor):
            return dtype if dtype is not None and leaf in (torch.float32, torch.float16, torch.bfloat16) else leaf
        wanted = dtype if dtype is not None and leaf.is_floating_point() else leaf.dtype
        if 0 in leaf.stride() or leaf.layout is not torch.strided:
            return leaf.detach().to(device=device, dtype=wanted, copy=True)
        moved = torch.empty_strided(leaf.shape, leaf.stride(), dtype=wanted, device=device)
        return moved.copy_(leaf.detach())

    return tree_map(move, value)


class _Recorder(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Saves the arguments of each distinct call before it is made."""

    def __init__(self, places: Places, folder: Path) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._places, self._folder = places, folder
        self._kept: dict[str, ListedCall] = {}
        self._bytes = 0

    @property
    def listed(self) -> list[ListedCall]:
        return list(self._kept.values())

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = function.name()
        if function.namespace == "aten" and not function.is_view and not any(one in name for one in ONLY_ON_CPU):
            self._save(name, args, kwargs)
        return function(*args, **kwargs)

    def _save(self, name: str, args: Any, kwargs: Any) -> None:
        signature = repr((name, tree_map(_sign, (args, kwargs))))
        known = self._kept.get(signature)
        if known is not None:
            self._kept[signature] = msgspec.structs.replace(known, calls=known.calls + 1)
            return
        tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
        self._bytes += sum(tensor.nbytes for tensor in tensors)
        if self._bytes > MOST_BYTES or not tensors:
            return
        number, place = len(self._kept), self._places.here()
        dtypes = tuple(sorted({str(tensor.dtype).removeprefix("torch.") for tensor in tensors}))
        self._kept[signature] = ListedCall(
            number=number, op=name, dtypes=dtypes, phase=place.phase, module=place.module, source=place.source
        )
        torch.save((name, *tree_map(_pack, copy_to((args, kwargs), "cpu"))), self._folder / f"{number}.pt")


def _sign(leaf: Any) -> Any:
    return (tuple(leaf.shape), leaf.stride(), str(leaf.dtype)) if isinstance(leaf, Tensor) else leaf


def _pack(leaf: Any) -> Any:
    """A memory format can't be pickled; its name can."""
    return str(leaf) if isinstance(leaf, torch.memory_format) else leaf


def _unpack(leaf: Any) -> Any:
    named = isinstance(leaf, str) and leaf.startswith("torch.") and leaf.endswith(("_format", "_last", "_last_3d"))
    return getattr(torch, leaf.removeprefix("torch.")) if named else leaf
