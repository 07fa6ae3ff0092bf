"""Copies to a device and back, compared bit for bit: every dtype, strided, non-blocking, and within the device."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import torch
from torch import Tensor

DTYPES = (
    *("float32", "float16", "bfloat16", "float64", "complex64", "complex128", "bool"),
    *("uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2"),
)
ROWS, COLUMNS = 33, 65
"""Odd, so that no row begins on a round address."""
WIDEST = 16
"""Bytes of an element, of complex128."""


@dataclass
class Copies:
    """What came of the copies of one kind."""

    right: int = 0
    dtypes: set[str] = field(default_factory=set)
    refused: list[str] = field(default_factory=list)
    """Dtypes that can't exist on the device."""
    wrong: list[str] = field(default_factory=list)


def check_copies(device: str, kind: str, synchronize: Callable[[], None]) -> Copies:
    """All copies of a kind: `plain`, `strided`, `non-blocking` or `within`."""
    found = Copies()
    for name in DTYPES:
        dtype = getattr(torch, name, None)
        if dtype is None:
            continue
        contents = fill(dtype)
        if not _can_hold(contents, device):
            found.refused.append(name)
            continue
        for words, arrived, wanted in _copy(contents, device, kind, synchronize):
            if same_bits(arrived, wanted):
                found.right += 1
                found.dtypes.add(name)
            else:
                found.wrong.append(
                    f"{name}, {words}: {_count_wrong(arrived, wanted)} of {wanted.numel()} values differ"
                )
    return found


def fill(dtype: torch.dtype) -> Tensor:
    """Every pattern of bits, among them NaN, infinities and denormals; for booleans the two that there are."""
    if dtype is torch.bool:
        return (torch.arange(ROWS * COLUMNS) % 3 == 0).reshape(ROWS, COLUMNS)
    generator = torch.Generator().manual_seed(1)
    raw = torch.randint(0, 256, (ROWS * COLUMNS * WIDEST,), dtype=torch.uint8, generator=generator)
    size = torch.empty(0, dtype=dtype).element_size()
    return raw[: ROWS * COLUMNS * size].view(dtype).reshape(ROWS, COLUMNS)


def same_bits(one: Tensor, other: Tensor) -> bool:
    """Whether two CPU tensors hold the same bits, NaN or not."""
    if one.shape != other.shape or one.dtype is not other.dtype:
        return False
    return bool(torch.equal(_bits(one), _bits(other)))


def _bits(tensor: Tensor) -> Tensor:
    plain = tensor.contiguous().flatten()
    return plain if tensor.dtype is torch.bool else plain.view(torch.uint8)


def _count_wrong(one: Tensor, other: Tensor) -> int:
    if one.shape != other.shape or one.dtype is not other.dtype:
        return other.numel()
    size = 1 if one.dtype is torch.bool else one.element_size()
    differs = (_bits(one) != _bits(other)).reshape(-1, size)
    return int(differs.any(dim=1).sum())


def _can_hold(contents: Tensor, device: str) -> bool:
    try:
        contents[:1, :1].contiguous().to(device)
    except (RuntimeError, TypeError, NotImplementedError):
        return False
    return True


def _copy(
    contents: Tensor, device: str, kind: str, synchronize: Callable[[], None]
) -> Iterator[tuple[str, Tensor, Tensor]]:
    """What is done, what came back, and what should have."""
    if kind == "plain":
        yield "a matrix", contents.to(device).cpu(), contents
        yield "one number", contents[0, 0].to(device).cpu(), contents[0, 0]
        yield "nothing", contents[:0].to(device).cpu(), contents[:0]
        yield "part of a larger one", contents[1:].to(device).cpu(), contents[1:]
    elif kind == "strided":
        yield from _copy_strided(contents, device)
    elif kind == "non-blocking":
        yield from _copy_without_blocking(contents, device, synchronize)
    else:
        yield from _copy_within(contents, device)


def _copy_strided(contents: Tensor, device: str) -> Iterator[tuple[str, Tensor, Tensor]]:
    yield "transposed on the way there", contents.t().to(device).cpu(), contents.t()
    yield "every third column there", contents[:, ::3].to(device).cpu(), contents[:, ::3]
    there = contents.to(device)
    yield "transposed on the way back", there.t().cpu(), contents.t()
    yield "every third column back", there[:, ::3].cpu(), contents[:, ::3]
    yield "expanded on the way back", there[:1].expand(4, COLUMNS).cpu(), contents[:1].expand(4, COLUMNS)
    target = torch.zeros_like(contents).to(device)
    target[:, ::3].copy_(contents[:, ::3])
    wanted = torch.zeros_like(contents)
    wanted[:, ::3] = contents[:, ::3]
    yield "into every third column", target.cpu(), wanted


def _copy_without_blocking(
    contents: Tensor, device: str, synchronize: Callable[[], None]
) -> Iterator[tuple[str, Tensor, Tensor]]:
    there = contents.to(device, non_blocking=True)
    synchronize()
    yield "there", there.cpu(), contents
    back = there.to("cpu", non_blocking=True)
    synchronize()
    yield "and back", back, contents
    target = torch.zeros_like(contents).to(device)
    target.copy_(contents, non_blocking=True)
    yield "into a tensor that is used at once", target.clone().cpu(), contents


def _copy_within(contents: Tensor, device: str) -> Iterator[tuple[str, Tensor, Tensor]]:
    there = contents.to(device)
    yield "a clone", there.clone().cpu(), contents
    yield "made contiguous", there.t().contiguous().cpu(), contents.t()
    target = torch.zeros_like(contents).to(device)
    target.copy_(there)
    yield "into another", target.cpu(), contents
