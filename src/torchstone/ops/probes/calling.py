"""A base under conditions: on the device, on the CPU, in float64; forward, into a guarded target, or backward."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from torchstone.ops.arguments import Watch, held_now
from torchstone.ops.placing import CPU, map_leaves, place, tensors, wide_by_default, widen
from torchstone.ops.probes.bases import Base
from torchstone.ops.probes.conditions import FORWARD, Point, Thresholds
from torchstone.ops.probes.drawing import Draw, TooLargeError
from torchstone.ops.probes.layouts import LAYOUTS, expand_first, expand_last

SENTINEL = 91
SEED = 5


class NotApplicableError(Exception):
    """The condition means nothing for this call."""


@dataclass(frozen=True)
class Prepared:
    """Arguments on the CPU, as plain as can be."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class Performed(NamedTuple):
    """What came of a call, on the CPU."""

    output: Any
    before: list[torch.Tensor]
    """What its arguments held, and the gradients that came in."""
    after: list[torch.Tensor]
    """What they hold since."""


def prepare(base: Base, point: Point, thresholds: Thresholds) -> Prepared:
    """What the point's dtype, sizes, values and option make of the base."""
    draw = Draw(point.dtype, point.values, most_elements=thresholds.most_elements)
    try:
        args = base.arguments(draw, thresholds.sizes_of(base, point.size))
    except TooLargeError:
        raise NotApplicableError(f"more than {thresholds.most_elements:,} elements") from None
    if point.layout is not None and point.layout[0].startswith("expanded"):
        args = _change_tensors(args, point.layout[1], _expander(point.layout[0]), keep=True)
    option = {} if point.option is None else dict(base.options[point.option])
    return Prepared(args, {**base.kwargs, **option})


def _expander(name: str) -> Callable[[torch.Tensor], torch.Tensor]:
    return expand_first if name == "expanded" else expand_last


def _change_tensors(
    args: tuple[Any, ...], which: int | None, change: Callable[[torch.Tensor], Any], keep: bool
) -> tuple[Any, ...]:
    """Of one tensor or of all; with `keep` as values alone. Refuses a change that changes nothing."""
    count, applied = [-1], [False]

    def apply(leaf: Any) -> Any:
        if not isinstance(leaf, torch.Tensor):
            return leaf
        count[0] += 1
        if which is not None and count[0] != which:
            return leaf
        changed = change(leaf)
        if changed is None:
            return leaf
        applied[0] = True
        return changed.clone() if keep else changed

    found: tuple[Any, ...] = map_leaves(args, apply)
    if not applied[0]:
        raise NotApplicableError("no argument has such a layout")
    return found


def on_device(prepared: Prepared, point: Point, device: torch.device) -> Prepared:
    """There, in the point's layout."""
    args, kwargs = place((prepared.args, prepared.kwargs), device)
    if point.layout is None:
        return Prepared(args, kwargs)
    name, which = point.layout
    change = _expander(name) if name.startswith("expanded") else LAYOUTS[name]
    return Prepared(_change_tensors(args, which, change, keep=False), kwargs)


def widened(prepared: Prepared) -> Prepared:
    args, kwargs = widen((prepared.args, prepared.kwargs))
    return Prepared(args, kwargs)


def perform(base: Base, prepared: Prepared, way: str, is_guarded: bool = False) -> Performed:
    """The outputs; with guards, whether anything beside the target was written is one of them."""
    torch.manual_seed(SEED)
    watch = Watch()
    watch.add(tensors((prepared.args, prepared.kwargs)))
    if way == FORWARD:
        output = base.call(*prepared.args, **prepared.kwargs)
    elif way.startswith("in place"):
        output = _in_place(base, prepared, way, is_guarded)
    elif way.startswith("out="):
        output = _out(base, prepared, way, is_guarded)
    else:
        output = _backward(base, prepared, way, watch)
    return Performed(bring_back(output), watch.before, held_now(watch.given))


def bring_back(output: Any) -> Any:
    """On the CPU, and without what a gradient would need."""
    return map_leaves(output, lambda leaf: leaf.detach().to(CPU) if isinstance(leaf, torch.Tensor) else leaf)


def perform_wide(base: Base, prepared: Prepared, way: str) -> Performed:
    with wide_by_default():
        return perform(base, widened(prepared), way)


def _guarded(like: torch.Tensor, way: str) -> tuple[torch.Tensor, torch.Tensor]:
    """A view of that shape inside a larger tensor, and that tensor."""
    if like.dim() == 0:
        parent = torch.full((5,), SENTINEL, dtype=like.dtype, device=like.device)
        return parent[2], parent
    shape = list(like.shape)
    if "transposed" in way and like.dim() >= 2:
        swapped = [*shape]
        swapped[0], swapped[-1] = shape[-1] + 2, shape[0]
        parent = torch.full(swapped, SENTINEL, dtype=like.dtype, device=like.device)
        return parent.transpose(0, -1)[..., 1:-1], parent
    shape[-1] = 2 * shape[-1] + 1
    parent = torch.full(shape, SENTINEL, dtype=like.dtype, device=like.device)
    return parent[..., 1::2], parent


def _in_place(base: Base, prepared: Prepared, way: str, is_guarded: bool) -> Any:
    first, *others = prepared.args
    if base.in_place is None or not isinstance(first, torch.Tensor):
        raise NotApplicableError("no in-place form")
    target, parent = _guarded(first, way) if is_guarded else (first.clone(), None)
    if is_guarded:
        target.copy_(first)
    getattr(target, base.in_place)(*others, **prepared.kwargs)
    return [target.clone(), _beside(target, parent)]


def _out(base: Base, prepared: Prepared, way: str, is_guarded: bool) -> Any:
    if not is_guarded:
        return [base.call(*prepared.args, **prepared.kwargs), 0]
    like = base.call(*prepared.args, **prepared.kwargs)
    target, parent = _guarded(like, way)
    base.call(*prepared.args, **prepared.kwargs, out=target)
    return [target.clone(), _beside(target, parent)]


def _beside(target: torch.Tensor, parent: torch.Tensor | None) -> int:
    """How many cells beside the target no longer hold what was there."""
    if parent is None:
        return 0
    host = parent.to(CPU)
    inside = torch.zeros(host.shape, dtype=torch.bool)
    inside.as_strided(target.shape, target.stride(), target.storage_offset()).fill_(True)
    return int((host[~inside] != torch.tensor(SENTINEL).to(host.dtype)).sum())


def _backward(base: Base, prepared: Prepared, way: str, watch: Watch) -> Any:
    args = _requiring(prepared.args, way)
    inputs = [one for one in tensors(args) if one.requires_grad]
    outputs = [one for one in tensors(base.call(*args, **prepared.kwargs)) if one.requires_grad]
    if not inputs or not outputs:
        raise NotApplicableError("no gradient")
    along = [_direction(one, way) for one in outputs]
    watch.add(along)
    given = torch.autograd.grad(outputs, inputs, along, allow_unused=True)
    return [one for one in given if one is not None]


def _requiring(args: tuple[Any, ...], way: str) -> tuple[Any, ...]:
    words = way.split()
    only = int(words[-1]) if "of argument" in way else None
    without = int(words[-1]) if "without argument" in way else None
    count = [-1]

    def mark(leaf: Any) -> Any:
        if not isinstance(leaf, torch.Tensor):
            return leaf
        count[0] += 1
        wanted = (only is None or count[0] == only) and count[0] != without
        if not wanted or not (leaf.is_floating_point() or leaf.is_complex()):
            return leaf
        return leaf.detach().requires_grad_()

    found: tuple[Any, ...] = map_leaves(args, mark)
    return found


def _direction(output: torch.Tensor, way: str) -> torch.Tensor:
    """The incoming gradient: the same values everywhere, held in different ways."""
    if "expanded" in way:
        return torch.full((), 0.5, dtype=output.dtype).to(output.device).expand_as(output)
    generator = torch.Generator().manual_seed(SEED)
    steps = torch.randint(-8, 9, output.shape, generator=generator).to(torch.float32) / 8
    dense = steps.to(output.dtype).to(output.device)
    if "permuted" in way and output.dim() >= 2:
        return dense.transpose(0, -1).contiguous().transpose(0, -1)
    return dense
