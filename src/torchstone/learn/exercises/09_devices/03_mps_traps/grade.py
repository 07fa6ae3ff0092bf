"""Grades mps_traps: a device without float64, strides, and copies that arrive only when somebody waits for them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_close,
    expect_same,
    looks_like,
    pretend_device,
    raw,
    when,
)
from torchstone.pretend.machine import machine

PROMISES = {
    "Metal has no float64:": None,
    "Some releases of torch did not write into strided tensors": None,
    "The checks' device has no float64, and fills a copy": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

LIKE_METAL = {"rejected_dtypes": {"float64"}}
SIZES = [(1, 1), (1, 4), (3, 5), (2, 64)]
STALE = -77.0
"""What stands in the host's memory until a late copy arrives."""
NO_DOUBLE = "Metal has no float64: take the mean away first, then float32 has digits enough."


def exact_spread(x: Tensor) -> Tensor:
    exact = x.double()
    return (exact - exact.mean(1, keepdim=True)).square().mean(1).sqrt().to(x.dtype)


def textbook(x: Tensor) -> Tensor:
    return (x.square().mean(1) - x.mean(1).square()).clamp(min=0).sqrt()


def far_rows(draw: Draw, rows: int, n: int) -> Tensor:
    """Rows around ±10,000 with a spread of about 1, exactly representable."""
    centers = torch.tensor([draw.choice([-10_000, 10_000, 3_000, 0]) for _ in range(rows)])
    steps = torch.randint(-128, 129, (rows, n), generator=draw.generator) / 64
    return draw.place(centers[:, None] + steps, torch.float32)


@check("solved")
def spread_keeps_its_dtype(answer: Answer, draw: Draw) -> None:
    def deviation(x: Tensor) -> Tensor:
        return x.double().std(1, correction=0).to(x.dtype)

    teach = "The result is in the dtype of x: half stays half, and float64, where there is one, keeps its digits."
    for x in draw.cases(lambda draw: draw.normal(3, 8), dtypes=(torch.float16, torch.bfloat16, torch.float64)):
        expect_same(answer.spread, deviation, x, teach=teach)


class LateCopies(TorchDispatchMode):
    """Holds non-blocking copies to the host back until the device is waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.pending: list[tuple[Tensor, Tensor]] = []

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Torch would otherwise import all of torch.compile."""
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        name = func.name().split("::")[1].split(".")[0]
        source = args[0] if name == "_to_copy" else args[1] if name == "copy_" else None
        hurried = kwargs.get("non_blocking") or (name == "copy_" and True in args[2:])
        if source is not None and hurried and source.device.type != "cpu" and result.device.type == "cpu":
            self.pending.append((result, result.clone()))
            result.fill_(STALE)
        return result

    def deliver(self) -> None:
        for target, values in self.pending:
            target.copy_(values)
        self.pending.clear()


@contextmanager
def late_copies() -> Iterator[None]:
    """A device whose non-blocking copies arrive when somebody waits, as on Metal and with pinned memory on CUDA."""
    late, wait_until = LateCopies(), machine.clock.wait_until

    def wait_and_deliver(moment: float) -> None:
        wait_until(moment)
        late.deliver()

    machine.clock.wait_until = wait_and_deliver
    try:
        with late:
            yield
    finally:
        machine.clock.wait_until = wait_until


@check("solved")
def spread_is_right(answer: Answer, draw: Draw) -> None:
    for x in draw.cases(lambda draw, *size: draw.normal(*size), SIZES, layouts=("contiguous", "strided")):
        expect_same(answer.spread, exact_spread, x, atol=1e-4)
    alike = "Nothing is added under the root: rows of small numbers have small spreads, and equal numbers have none."
    for size in (1e-5, 1e-9):
        expect_same(answer.spread, exact_spread, draw.normal(3, 8) * size, teach=alike, rtol=1e-3, atol=1e-3 * size)
    equal = torch.full((2, 8), 0.5)
    expect_same(answer.spread, exact_spread, draw.place(equal, torch.float32), teach=alike, atol=1e-7)


@check("solved", teach=NO_DOUBLE)
def spread_needs_no_float64(answer: Answer, draw: Draw) -> None:
    known = looks_like(
        textbook,
        "mean(x²) − mean(x)² takes one huge number from another, and in float32 only rounding errors are left: "
        "take the mean away before you square.",
    )
    with pretend_device(**LIKE_METAL) as device:
        here = draw.on(device)
        for x in here.cases(far_rows, SIZES):
            # The mean of numbers around 10,000 is itself only good to 0.001.
            expect_same(answer.spread, exact_spread, x, diagnose=[known], teach=NO_DOUBLE, rtol=1e-3, atol=4e-3)


@check("solved")
def mirrors_are_right(answer: Answer, draw: Draw) -> None:
    with pretend_device(**LIKE_METAL) as pretend:
        for device, dtype in ((torch.device("cpu"), torch.float64), (pretend, torch.float32), (pretend, torch.float16)):
            for inputs, outputs in ((1, 1), (2, 3), (5, 2)):
                layer = nn.Linear(inputs, outputs, device=device, dtype=dtype)
                expect_mirror(answer, layer)
                expect_mirror(answer, layer.requires_grad_(False))


def expect_mirror(answer: Answer, layer: nn.Linear) -> None:
    kept = layer.weight.detach().cpu().clone()
    twin = answer.mirror(layer)
    expect(isinstance(twin, nn.Linear), f"mirror returned a {type(twin).__name__}, not an nn.Linear")
    expect(twin.bias is None, "the mirrored layer has a bias", teach="The task asks for a layer without one.")
    expect(
        (twin.in_features, twin.out_features) == (layer.out_features, layer.in_features),
        f"the mirrored layer says that it maps {twin.in_features} to {twin.out_features} features",
    )
    expect_close(
        twin.weight,
        kept.T,
        what="the mirrored weight",
        device=layer.weight.device,
        teach="The weight starts as the transpose of the other layer's, on its device and in its dtype.",
    )
    expect(
        isinstance(twin.weight, nn.Parameter) and twin.weight.requires_grad and twin.weight.is_leaf,
        "the mirrored weight is not a parameter that can be trained",
        teach="It must be an nn.Parameter that requires grad, with no history behind it.",
    )
    expect(
        twin.weight.is_contiguous(),
        f"the mirrored weight of {list(twin.weight.shape)} has the strides {twin.weight.stride()}",
        teach="A transpose swaps strides and clone() keeps them; contiguous() or copy_ lays the numbers out anew.",
    )
    with torch.no_grad():
        twin.weight.add_(1)
    expect_close(
        layer.weight,
        kept,
        what="the first layer's weight after its mirror was trained",
        teach="The two share memory: each must have its own. contiguous() copies only where the strides ask for it.",
    )


@check("solved")
def copies_have_arrived(answer: Answer, draw: Draw) -> None:
    stale = when(
        lambda got, expected: any(bool((value == STALE).any()) for value in got.values()),
        "The host read before the copy had arrived: non_blocking=True needs a synchronize before anyone looks.",
    )
    with pretend_device(**LIKE_METAL) as pretend:
        for device in (torch.device("cpu"), pretend):
            for shapes in (((1,),), ((2, 3), (4,)), ((2,), (1, 1), (3, 2))):
                tensors = {f"t{place}": draw.on(device).normal(*shape) for place, shape in enumerate(shapes)}
                tensors["half"] = draw.on(device).normal(3, dtype=torch.float16)
                tensors["whole"] = draw.on(device).integers(3, high=9)
                kept = {name: value.cpu().clone() for name, value in tensors.items()}
                with late_copies():
                    got = raw(answer.to_host)(tensors)  # the guard itself would wait, for its own comparison
                cpu = torch.device("cpu")
                expect_close(got, kept, what="the copies", device=cpu, diagnose=[stale])
                for value in got.values():
                    value.add_(1)
                kept_here = {name: value.cpu() for name, value in tensors.items()}
                teach = "What is on the CPU already is not copied by .cpu(): ask for a copy."
                expect_close(kept_here, kept, what="the original after its copy was changed", teach=teach)


@check("solved")
def spread_has_no_bounds(answer: Answer, draw: Draw) -> None:
    wide = "A spread may be large: nothing is cut off."
    for size in (1e4, 1e12):
        expect_same(answer.spread, exact_spread, draw.normal(3, 8) * size, teach=wide, atol=1e-4 * size)
    fine = "float64, where there is one, keeps its digits."
    x = torch.randn(3, 8, generator=draw.generator, dtype=torch.float64)
    expect_same(answer.spread, exact_spread, draw.place(x, torch.float64), teach=fine, rtol=1e-12, atol=1e-14)


@check("solved")
def host_and_device_may_be_mixed(answer: Answer, draw: Draw) -> None:
    teach = "Whichever device a tensor comes from, its copy must have arrived: look at each, not at the first alone."
    exact = torch.randn(3, generator=draw.generator, dtype=torch.float64)
    whole = torch.tensor([2**53 + 1, 2**24 + 1, -(2**40)])
    cpu = torch.device("cpu")
    with pretend_device(**LIKE_METAL) as pretend:
        for first, second in ((cpu, pretend), (pretend, cpu)):
            tensors = {"a": draw.on(first).normal(3), "b": draw.on(second).normal(2), "whole": whole.to(second)}
            tensors |= {"flag": torch.tensor([True, False]).to(first), "exact": exact}
            kept = {name: value.cpu().clone() for name, value in tensors.items()}
            with late_copies():
                got = raw(answer.to_host)(tensors)
            expect_close(got, kept, what="the copies", device=cpu, teach=teach, rtol=0.0, atol=0.0)
