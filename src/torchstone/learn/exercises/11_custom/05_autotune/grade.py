"""Grades autotune: Triton's own autotuner with made-up times; what it tries and launches is looked at."""

import math
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from torchstone.learn.grading import Answer, Draw, check, expect, expect_same, in_place, note
from torchstone.learn.grading.kernels import watch_kernels

seen = watch_kernels()

from triton.runtime.autotuner import Autotuner  # noqa: E402 - the interpreter must have been chosen

PROMISES = {
    "It depends on the device and on the size": None,
    "times each, keeps the fastest and launches that one from then on": None,
    "Its traps are the same on every machine": None,
    "The work is done by your kernel axpy_kernel": "kernel_is_tuned",
    "Leave do_bench alone: the checks put theirs": None,
    "Lean: no size is tuned twice, and no config is tried": "no_trial_is_wasted",
    "Where there is no GPU that Triton knows": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

FORBIDDEN = dict.fromkeys(
    ("add", "add_", "addcmul", "addcmul_", "mul", "mul_", "sub", "sub_", "lerp_", "numpy"),
    "The kernel is to do the sum: on the host only launch.",
)
BLOCKS = (16, 32, 64, 128, 256)
TRIES = 2
"""How often a trial runs the kernel."""
SIZES = [(1,), (7,), (16,), (17,), (3, 11), (257,), ()]


@dataclass
class Trials:
    """What the autotuner has tried."""

    fastest: int = 16
    """The block whose made-up time is the shortest."""
    tried: list[tuple[int, int]] = field(default_factory=list)
    """(n, block) of each trial."""
    grid: Any = None
    """Of the last launch: numbers, or a function."""


trials = Trials()
original = Autotuner._bench


def bench(self: Any, *args: Any, config: Any, **meta: Any) -> list[float]:
    """The trial as it is, kernel and hooks, with a time that is made up."""
    block = config.kwargs.get("block", meta.get("block"))
    trials.tried.append(({**self.nargs, **meta}.get("n"), block))

    def measure(call: Any, quantiles: Any) -> list[float]:
        for _ in range(TRIES):
            call()
        return [abs(block - trials.fastest) + 1.0 if isinstance(block, int) else 1.0] * 3

    self.do_bench = measure
    return original(self, *args, config=config, **meta)


Autotuner._bench = bench
launch = Autotuner.run


def run(self: Any, *args: Any, grid: Any, **options: Any) -> Any:
    """The launch as it is, with its grid written down."""
    trials.grid = grid
    return launch(self, *args, grid=grid, **options)


Autotuner.run = run


def reference(y: Tensor, x: Tensor, a: float) -> Tensor:
    return (y.double() + a * x.double()).to(y.dtype)


def arguments(draw: Draw, *shape: int) -> tuple[Tensor, Tensor, float]:
    return draw.normal(*shape), draw.normal(*shape), round(draw.random.uniform(-2, 2), 3)


def kernel_of(answer: Answer) -> Any:
    """The autotuner, which is no plain function."""
    kernel = answer.axpy_kernel
    kernel = getattr(kernel, "function", kernel)
    expect(
        isinstance(kernel, Autotuner),
        "axpy_kernel is not tuned: it has no @triton.autotune above it",
        teach="@triton.autotune(…) stands above @triton.jit.",
    )
    return kernel


@check("solved")
def kernel_is_tuned(answer: Answer, draw: Draw) -> None:
    kernel = kernel_of(answer)
    blocks = sorted(config.kwargs.get("block", 0) for config in kernel.configs)
    expect(
        blocks == sorted(BLOCKS),
        f"the configs have the blocks {blocks}, and should have {sorted(BLOCKS)}",
        teach='triton.Config({"block": 64}) for each of them.',
    )
    y, x, a = arguments(draw, 5)
    seen.expect_launched("add_scaled_", lambda: answer.add_scaled_.function(y, x, a))


def expect_sums(answer: Answer, y: Tensor, x: Tensor, a: float, fastest: int) -> None:
    trials.fastest = fastest
    kept = y
    teach = f"Here the block of {fastest} is the fastest: is the grid made for it, and was y put back after each trial?"
    got = expect_same(in_place(answer.add_scaled_, 0), reference, y, x, a, teach=teach)
    seen.expect_inside()
    expect(got is kept, "add_scaled_ returns another tensor than y", teach="It works in place, and returns y itself.")


@check("solved")
def sums_are_right(answer: Answer, draw: Draw) -> None:
    kernel = kernel_of(answer)
    for shape in SIZES:
        y, x, a = arguments(draw, *shape)
        kernel.cache.clear()
        fastest = draw.choice(BLOCKS)
        expect_sums(answer, y, x, a, fastest)  # tunes
        expect_sums(answer, *arguments(draw, *shape), fastest)  # launches what was chosen
    for fastest in BLOCKS:
        kernel.cache.clear()
        expect_sums(answer, *arguments(draw, 130), fastest)
    expect_sums(answer, *arguments(draw, 600), 16)  # many programs
    expect_sums(answer, *arguments(draw, 0), 16)


@check("solved")
def fastest_is_launched(answer: Answer, draw: Draw) -> None:
    kernel = kernel_of(answer)
    kernel.cache.clear()
    wanted = {70: 64, 90: 32, 140: 128, 30: 16}
    for n, fastest in wanted.items():
        trials.fastest = fastest
        in_place(answer.add_scaled_, 0)(*arguments(draw, n)[:2], 0.5)
    for n, fastest in wanted.items():
        trials.fastest = 64
        in_place(answer.add_scaled_, 0)(*arguments(draw, n)[:2], 0.5)
        block = kernel.best_config.kwargs["block"]
        expect(
            block == fastest,
            f"for n = {n} the block of {fastest} was the fastest, and {block} is launched",
            teach="key names what the choice depends on: every n has a choice of its own.",
        )


@check("solved")
def grid_fits_the_block(answer: Answer, draw: Draw) -> None:
    teach = "A grid of lambda meta: (triton.cdiv(n, meta['block']),) is asked for each block that is tried or launched."
    for n in (5, 32, 40):
        y, x, a = arguments(draw, n)
        in_place(answer.add_scaled_, 0)(y, x, a)
        expect(callable(trials.grid), f"the grid is {trials.grid}, whichever block is chosen", teach=teach)
        for block in BLOCKS:
            programs = trials.grid({"x": x, "y": y, "a": a, "n": n, "block": block})
            wanted = -(-n // block)
            message = f"for n = {n} and a block of {block} the grid is {programs}, and {wanted} programs are enough"
            expect(math.prod(programs) == wanted, message, teach=teach)


@check("solved")
def nothing_is_left_out(answer: Answer, draw: Draw) -> None:
    """0 times infinity is NaN: who skips the work because a factor is 0 has another result."""
    teach = "y + a · x for every a, 0 too: 0 times infinity is NaN, and the kernel knows that by itself."
    far = [0.0, torch.inf, -torch.inf, torch.nan, 1.0]
    for a in (0.0, 1.0, torch.inf, 1e30):
        y, x = draw.normal(5), draw.place(torch.tensor(far))
        seen.expect_launched("add_scaled_", lambda y=y, x=x, a=a: answer.add_scaled_.function(y.clone(), x, a))
        expect_same(in_place(answer.add_scaled_, 0), reference, y, x, a, teach=teach)
        expect_same(in_place(answer.add_scaled_, 0), reference, y, x * 0, a, teach=teach)


SMALLEST = "The smallest config is never left out: where all others are too large, it is the one."


@check("lean")
def no_trial_is_wasted(answer: Answer, draw: Draw) -> None:
    kernel = kernel_of(answer)
    kernel.cache.clear()
    trials.tried.clear()
    sizes = (3, 8, 9, 64, 65, 129)
    for a in (0.5, 2.0, 0.0):
        for n in sizes:
            in_place(answer.add_scaled_, 0)(*arguments(draw, n)[:2], a)
    for n in sizes:
        tried = [block for size, block in trials.tried if size == n]
        expect(
            len(set(tried)) == len(tried),
            f"for n = {n}, in three calls, the blocks {tried} were tried",
            teach="a is no size: what is in key asks for new trials whenever it changes.",
        )
        allowed = [block for block in BLOCKS if block < 2 * n] or [BLOCKS[0]]
        # One config alone needs no trial.
        wanted = allowed if len(allowed) > 1 else []
        expect(
            sorted(tried) == wanted,
            f"for n = {n} the blocks {sorted(tried)} were tried, and {wanted} should have been",
            teach="early_config_prune returns the configs whose block is below 2n, or else the smallest.",
        )
        in_place(answer.add_scaled_, 0)(*arguments(draw, n)[:2], 1.5)
        block = kernel.best_config.kwargs["block"]
        expect(block in allowed, f"for n = {n} the block of {block} is launched, of {allowed}", teach=SMALLEST)
    note(f"{len(trials.tried)} trials for {len(sizes)} sizes")
