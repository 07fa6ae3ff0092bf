"""Copies between host and device: every layout on either side, every dtype, with and without waiting."""

from collections.abc import Iterator

import torch

from torchstone.ops.placing import CPU
from torchstone.ops.probes.conditions import Thresholds
from torchstone.ops.probes.drawing import Draw
from torchstone.ops.probes.layouts import LAYOUTS, expand_first

DTYPES = (
    torch.float32,
    torch.float16,
    torch.bfloat16,
    torch.int64,
    torch.int32,
    torch.int16,
    torch.int8,
    torch.uint8,
    torch.bool,
    torch.complex64,
)
SENTINEL = 91
SHAPES = ((), (1,), (10,), (4, 6), (2, 4, 6, 5))


def probe_copies(device: torch.device, thresholds: Thresholds) -> Iterator[tuple[str, str]]:
    """Gives what is wrong: the condition, and in words how."""
    sizes = [(size,) for size in (0, *thresholds.narrow, *thresholds.large)]
    for dtype in DTYPES:
        for shape in (*SHAPES, *(sizes if dtype in (torch.float32, torch.int64, torch.bool) else [])):
            for name, view in _views(Draw(dtype)(*shape)):
                words = f"{str(dtype).removeprefix('torch.')} {list(shape)} {name}"
                yield from _try(words, view, device)
    yield from _change_dtype(device)


def _views(t: torch.Tensor) -> Iterator[tuple[str, torch.Tensor]]:
    yield "contiguous", t
    if t.numel() > 10_000 or t.numel() == 0:
        return
    for name, layout in {**LAYOUTS, "expanded": expand_first}.items():
        view = layout(t)
        if view is not None:
            yield name, view


def _try(words: str, view: torch.Tensor, device: torch.device) -> Iterator[tuple[str, str]]:
    for way, copy in WAYS.items():
        try:
            found = copy(view, device)
        except Exception:  # a refusal is not a wrong answer
            continue
        if not _is_same(found, view):
            yield f"{way}, {words}", f"{_differing(found, view)} of {view.numel()} elements are others"


def _to_and_back(view: torch.Tensor, device: torch.device) -> torch.Tensor:
    return view.to(device).to(CPU)


def _not_waiting(view: torch.Tensor, device: torch.device) -> torch.Tensor:
    """The source is changed and dropped at once."""
    source = view.clone()
    there = source.to(device, non_blocking=True)
    source.copy_(torch.zeros_like(source))
    del source
    return there.to(CPU)


def _not_waiting_as_it_is(view: torch.Tensor, device: torch.device) -> torch.Tensor:
    return view.to(device, non_blocking=True).to(CPU)


def _back_not_waiting(view: torch.Tensor, device: torch.device) -> torch.Tensor:
    there = view.to(device)
    back = there.to(CPU, non_blocking=True)
    torch.ones(1, device=device).add_(1).item()  # by then it has come
    return back


def _from_a_view_there(view: torch.Tensor, device: torch.device) -> torch.Tensor:
    """The layout is made on the device, and what comes back is its values."""
    there = torch.empty_strided(view.shape, _spread(view), dtype=view.dtype, device=device) if view.dim() else None
    if there is None:
        return torch.stack([view.to(device)] * 3)[1].to(CPU)
    there.copy_(view.to(device))
    return there.to(CPU)


def _spread(view: torch.Tensor) -> list[int]:
    """Strides with gaps, the first dimension innermost."""
    strides, step = [], 2
    for size in view.shape:
        strides.append(step)
        step *= max(size, 1)
    return strides


def _into_gaps_there(view: torch.Tensor, device: torch.device) -> torch.Tensor:
    """From the host into every second cell; the others must stay."""
    return _into_gaps(view, torch.full((*view.shape, 2), SENTINEL, dtype=view.dtype, device=device))


def _into_gaps_here(view: torch.Tensor, device: torch.device) -> torch.Tensor:
    """From the device into every second cell of the host."""
    return _into_gaps(view.to(device), torch.full((*view.shape, 2), SENTINEL, dtype=view.dtype))


def _gaps_to_gaps(view: torch.Tensor, device: torch.device) -> torch.Tensor:
    """Both sides with the same gaps, which invites a copy in one piece."""
    source = torch.full((*view.shape, 2), 5, dtype=view.dtype, device=device)
    source[..., 0] = view.to(device)
    return _into_gaps(source[..., 0], torch.full((*view.shape, 2), SENTINEL, dtype=view.dtype))


def _gaps_to_gaps_there(view: torch.Tensor, device: torch.device) -> torch.Tensor:
    source = torch.full((*view.shape, 2), 5, dtype=view.dtype)
    source[..., 0] = view
    return _into_gaps(source[..., 0], torch.full((*view.shape, 2), SENTINEL, dtype=view.dtype, device=device))


def _into_gaps(source: torch.Tensor, holder: torch.Tensor) -> torch.Tensor:
    holder[..., 0].copy_(source)
    here = holder.to(CPU)
    untouched = here[..., 1] == torch.tensor(SENTINEL).to(here.dtype)
    return torch.where(untouched, here[..., 0], ~here[..., 0] if here.dtype == torch.bool else here[..., 0] + 1)


def _by_setitem(view: torch.Tensor, device: torch.device) -> torch.Tensor:
    holder = torch.full((3, *view.shape), SENTINEL, dtype=view.dtype, device=device)
    holder[1] = view.to(device)
    return holder[1].to(CPU)


def _from_the_host_by_setitem(view: torch.Tensor, device: torch.device) -> torch.Tensor:
    holder = torch.full((3, *view.shape), SENTINEL, dtype=view.dtype, device=device)
    holder[1] = view
    return holder[1].to(CPU)


WAYS = {
    "to the device and back": _to_and_back,
    "non_blocking, source reused": _not_waiting,
    "non_blocking": _not_waiting_as_it_is,
    "back non_blocking": _back_not_waiting,
    "from a strided tensor there": _from_a_view_there,
    "into gaps there": _into_gaps_there,
    "into gaps here": _into_gaps_here,
    "gaps to gaps": _gaps_to_gaps,
    "gaps to gaps there": _gaps_to_gaps_there,
    "by setitem": _by_setitem,
    "from the host by setitem": _from_the_host_by_setitem,
}


def _change_dtype(device: torch.device) -> Iterator[tuple[str, str]]:
    for source in DTYPES[:-1]:
        drawn = Draw(source)(7, 3)
        for view_name, view in (("contiguous", drawn), ("transposed", drawn.t().contiguous().t())):
            for target in DTYPES[:-1]:
                words = f"{source} to {target}, {view_name}".replace("torch.", "")
                if target == torch.uint8 and source.is_floating_point:
                    continue  # a negative number has no such form
                try:
                    there, here = view.to(device).to(CPU, target), view.to(target)
                    up = view.to(device, target).to(CPU)
                except Exception:  # a refusal is not a wrong answer
                    continue
                for way, found in (("back with another dtype", there), ("there with another dtype", up)):
                    if not _is_same(found, here):
                        yield f"{way}, {words}", f"{_differing(found, here)} of {here.numel()} elements are others"


def _is_same(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one.shape == other.shape and one.dtype == other.dtype and _differing(one, other) == 0


def _differing(one: torch.Tensor, other: torch.Tensor) -> int:
    return int((one.resolve_conj() != other.resolve_conj()).sum()) if one.shape == other.shape else other.numel()
