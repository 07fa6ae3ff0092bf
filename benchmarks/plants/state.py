"""Faults that show by what happened before: cached graphs, leftovers of the allocator, calls without a wait."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor

from plants.conditions import argument
from plants.damages import answer, rerun
from plants.planting import Plant, draw, plant
from torchstone.pretend import Call, Fault
from torchstone.pretend.machine import machine

LARGE_BLOCK_BYTES = 2**16
BLOCKS = 64


def signature(call: Call) -> tuple[Any, ...]:
    """The shapes and dtypes of a call, by which a graph is cached."""
    found = [*call.args, *call.kwargs.values()]
    return tuple((tuple(value.shape), value.dtype) for value in found if isinstance(value, Tensor))


def forgetful(place: int, key: Callable[[Call], Any] = signature) -> Callable[[], Fault]:
    """A cache of graphs whose key lacks one argument: the first one's value is used for all."""

    def make() -> Fault:
        cache: dict[Any, Any] = {}

        def fault(call: Call) -> Any:
            value = argument(call, place)
            if value is None or isinstance(value, Tensor):
                return call.right()
            return rerun(call, place, cache.setdefault((call.op, key(call)), value))

        return fault

    return make


def leftover(count: int, dtype: torch.dtype, at_least_bytes: int) -> Tensor | None:
    """What the last freed block of such a size held."""
    for block in reversed(machine.freed_blocks):
        if block.nbytes >= at_least_bytes:
            held = torch.frombuffer(bytearray(block.head), dtype=torch.uint8)
            room = held[: held.numel() // dtype.itemsize * dtype.itemsize].view(dtype)
            return room.repeat(count // max(1, room.numel()) + 1)[:count].clone()
    return None


def last_row_left_over(call: Call) -> Any:
    """The last row of the second operand is what a large freed block held."""
    second = call.args[1]
    held = leftover(second.size(-1), second.dtype, LARGE_BLOCK_BYTES)
    if held is None or not second.numel():
        return call.right()
    spoiled = second.clone()
    spoiled[-1] = held
    return rerun(call, 1, spoiled)


def after_large_block(device: str, *, empty: bool) -> Tensor:
    """A product after a large block of odd numbers was freed."""
    first, second = draw(device, 4, 6), draw(device, 6, 5, seed=1)
    block = torch.full((LARGE_BLOCK_BYTES,), 3.5).to(device)
    del block
    if empty and device != "cpu":
        torch.accelerator.empty_cache()
    return first @ second


def keeps_first_batch() -> Fault:
    """Gradients are scaled by the batch of the first pass."""
    first: dict[Any, int] = {}

    def fault(call: Call) -> Any:
        batch = call.args[1].size(0)
        scale = batch / first.setdefault(tuple(call.args[2].shape), batch)
        return answer(lambda grad: grad * scale, part=1)(call)

    return fault


def conv_weight_gradient(device: str, batch: int) -> Tensor:
    """The gradient of a convolution's weight."""
    weight = draw(device, 4, 3, 3, seed=1).requires_grad_()
    functional.conv1d(draw(device, batch, 3, 8), weight).square().sum().backward()  # type: ignore[no-untyped-call]
    return weight.grad  # type: ignore[return-value]


def one_in(count: int, damage: Fault, *, unless_waited: bool = False) -> Callable[[], Fault]:
    """One call in `count` goes wrong; if told, only in a row of calls in which the host never waited."""

    def make() -> Fault:
        calls, waits = 0, -1

        def fault(call: Call) -> Any:
            nonlocal calls, waits
            if unless_waited and machine.clock.waits != waits:
                calls, waits = 0, machine.clock.waits
            calls += 1
            return damage(call) if calls % count == 0 else call.right()

        return fault

    return make


def lose_last_row(result: Tensor) -> Tensor:
    """The last row is not written yet."""
    result = result.clone()
    result[-1:] = 0
    return result


def one_nan(result: Tensor) -> Tensor:
    """One element is not a number."""
    if not result.is_floating_point():
        return result
    flat = result.reshape(-1).clone()
    flat[result.numel() // 2 :][:1] = torch.nan
    return flat.view(result.shape)


def repeat(count: int, call: Callable[[str], Tensor], *, wait: bool = False) -> Callable[[str], list[Tensor]]:
    """The same call many times; the host waits after each only if told."""
    return lambda device: [call(device).cpu() if wait else call(device) for _ in range(count)]


def on_same(make: Callable[[str], tuple[Tensor, ...]], call: Callable[..., Tensor], count: int, *, wait: bool) -> Any:
    """Many calls on tensors that are made once."""

    def program(device: str) -> list[Tensor]:
        inputs = make(device)
        return repeat(count, lambda _: call(*inputs), wait=wait)(device)

    return program


def write_many(device: str, *, wait: bool) -> Tensor:
    """Add to one place after another."""
    target, ones = torch.zeros(8).to(device), torch.ones(1).to(device)
    for place in range(8):
        target[place : place + 1].add_(ones)
        if wait:
            target.cpu()
    return target


def skip_write(call: Call) -> Any:
    """Nothing is written."""
    return call.written[0]


CACHES = [
    plant(
        "clamp_cached_bound",
        "M",
        "clamp",
        "clamp",
        "the first lower bound is kept for all tensors of that shape",
        forgetful(1),
        lambda d: [draw(d, 6).clamp(min=0.0), draw(d, 6).clamp(min=0.5)],
        lambda d: [draw(d, 6).clamp(min=0.0), draw(d, 7).clamp(min=0.5)],
        lambda d: draw(d, 6).clamp(min=0.5),
        remembers=True,
    ),
    plant(
        "masked_fill_cached_value",
        "M",
        "masked_fill",
        "masked_fill_",
        "the first value is kept for that shape",
        forgetful(2),
        lambda d: [draw(d, 6).masked_fill(draw(d, 6, seed=1) > 0, value) for value in (0.0, -9.0)],
        lambda d: [draw(d, 6).masked_fill(draw(d, 6, seed=1) > 0, -9.0)],
        remembers=True,
    ),
    plant(
        "layer_norm_cached_eps",
        "M",
        "layer_norm",
        "native_layer_norm",
        "the first epsilon is kept for that shape",
        forgetful(4),
        lambda d: [functional.layer_norm(draw(d, 3, 8), (8,), eps=eps) for eps in (1e-5, 0.5)],
        lambda d: [functional.layer_norm(draw(d, 3, 8), (8,), eps=0.5)],
        remembers=True,
    ),
    plant(
        "interpolate_cached_corners",
        "M",
        "interpolate",
        "upsample_bilinear2d",
        "the first choice of aligned corners is kept for that shape",
        forgetful(2),
        lambda d: [
            functional.interpolate(draw(d, 1, 2, 4, 4), size=7, mode="bilinear", align_corners=aligned)
            for aligned in (False, True)
        ],
        lambda d: functional.interpolate(draw(d, 1, 2, 4, 4), size=7, mode="bilinear", align_corners=True),
        remembers=True,
    ),
    plant(
        "pow_cached_exponent",
        "M",
        "pow",
        "pow.Tensor_Scalar",
        "the first exponent is kept for that shape",
        forgetful(1),
        lambda d: [draw(d, 5).pow(2), draw(d, 5).pow(3)],
        lambda d: [draw(d, 5).pow(3), draw(d, 5).pow(3)],
        remembers=True,
    ),
    plant(
        "mm_leftover",
        "M",
        "mm",
        "mm",
        "after a large block was freed its leftovers are read; empty_cache() cures it",
        last_row_left_over,
        lambda d: after_large_block(d, empty=False),
        lambda d: after_large_block(d, empty=True),
        lambda d: draw(d, 4, 6) @ draw(d, 6, 5, seed=1),
        freed_blocks_kept=BLOCKS,
    ),
    plant(
        "conv_backward_first_batch",
        "ML",
        "conv1d",
        "convolution_backward",
        "after a pass at one batch size, gradients at another are scaled by it",
        keeps_first_batch,
        lambda d: [conv_weight_gradient(d, 2), conv_weight_gradient(d, 5)],
        lambda d: conv_weight_gradient(d, 5),
        lambda d: [functional.conv1d(draw(d, batch, 3, 8), draw(d, 4, 3, 3, seed=1)) for batch in (2, 5)],
        remembers=True,
        direction="backward",
    ),
]

RACES = [
    plant(
        "mm_race",
        "N",
        "mm",
        "mm",
        "one call in two, if the host did not wait between, lacks its last row",
        one_in(2, answer(lose_last_row), unless_waited=True),
        on_same(lambda d: (draw(d, 4, 5), draw(d, 5, 3, seed=1)), torch.mm, 4, wait=False),
        on_same(lambda d: (draw(d, 4, 5), draw(d, 5, 3, seed=1)), torch.mm, 4, wait=True),
        remembers=True,
    ),
    plant(
        "small_writes_race",
        "N",
        "add_",
        "add_",
        "of small writes one after another without a wait the third is lost",
        one_in(3, skip_write, unless_waited=True),
        lambda d: write_many(d, wait=False),
        lambda d: write_many(d, wait=True),
        remembers=True,
    ),
    plant(
        "mean_one_in_40",
        "N",
        "mean",
        "mean",
        "one call in 40 is of a partial sum",
        one_in(40, answer(lambda result: result * 0.5)),
        on_same(lambda d: (draw(d, 4, 5),), lambda tensor: tensor.mean(1), 45, wait=True),
        on_same(lambda d: (draw(d, 4, 5),), lambda tensor: tensor.mean(1), 10, wait=True),
        remembers=True,
    ),
    plant(
        "conv_one_in_20",
        "N",
        "conv2d",
        "convolution",
        "one call in 20 holds a NaN",
        one_in(20, answer(one_nan)),
        on_same(lambda d: (draw(d, 1, 2, 5, 5), draw(d, 3, 2, 3, 3, seed=1)), functional.conv2d, 25, wait=False),
        on_same(lambda d: (draw(d, 1, 2, 5, 5), draw(d, 3, 2, 3, 3, seed=1)), functional.conv2d, 10, wait=False),
        remembers=True,
    ),
]

PLANTS: list[Plant] = [*CACHES, *RACES]
