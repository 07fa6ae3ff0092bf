"""Grades xray: rows worked out by hand for small networks, then one that is far too large for any memory."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from torchstone.learn.grading import Answer, Draw, check, expect, expect_close, fail, raw

PROMISES = {
    "On the *meta* device tensors have a shape and a": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

LARGE = 100_000
"""A Linear of this width holds 40 GB."""
Rows = list[tuple[str, tuple[int, ...], int, int]]


class Twice(nn.Module):
    """Calls the later one first, and the other one twice."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.second, self.act = nn.Linear(width, width), nn.Linear(width, width, bias=False), nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        return self.first(self.act(self.first(self.second(x))))


class Tied(nn.Module):
    """Two layers with one weight."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.embed, self.head = nn.Linear(width, width), nn.Linear(width, width)
        self.head.weight = self.embed.weight

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.embed(x))


class Bilinear(nn.Module):
    """A leaf of nobody's class: x · (x · W)ᵀ, with a buffer that is no parameter."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(width, width))
        self.register_buffer("offset", torch.zeros(width))

    def forward(self, x: Tensor) -> Tensor:
        return torch.softmax((x @ self.weight + self.offset) @ x.mT, -1)


def expect_rows(answer: Answer, build: Callable[[], nn.Module], shape: tuple[int, ...], rows: Rows, teach: str) -> None:
    got = raw(answer.xray)(build, *shape)
    text = "\n".join(line for line in str(build()).splitlines() if line.strip())
    right = isinstance(got, list) and all(isinstance(row, tuple) and len(row) == 4 for row in got)
    expect(right, "xray should return a list of Rows", teach=teach)
    plain: list[Any] = [tuple(row) for row in got]
    for position in range(max(len(plain), len(rows))):
        mine = plain[position] if position < len(plain) else None
        theirs = rows[position] if position < len(rows) else None
        words = f"row {position} for an input {shape} of {text}"
        expect(mine is not None, f"{words} is missing; it should be {theirs}", teach=teach)
        expect(theirs is not None, f"{words} is one too many: {mine}", teach=teach)
        expect(same_row(mine, theirs), f"{words} is {mine}, and should be {theirs}", teach=teach)


def same_row(mine: Any, theirs: Any) -> bool:
    name, shape, parameters, flops = mine
    return (name, tuple(shape), parameters, flops) == theirs and isinstance(shape, tuple)


@check("solved")
def rows_are_right(answer: Answer, draw: Draw) -> None:
    n, a, b = draw.integer(2, 5), draw.integer(2, 6), draw.integer(7, 9)
    two = "flops: two for each multiply-add; bias, activation and normalization do not count."
    expect_rows(answer, lambda: nn.Linear(a, b), (n, a), [("", (n, b), a * b + b, 2 * n * a * b)], two)
    leaves = "A row for each call of a leaf, which is a module that has no modules inside; containers get none."
    nested = [("0", (n, b), a * b + b, 2 * n * a * b), ("1.0", (n, b), 0, 0), ("1.1", (n, a), b * a, 2 * n * a * b)]
    make = lambda: nn.Sequential(nn.Linear(a, b), nn.Sequential(nn.ReLU(), nn.Linear(b, a, bias=False)))  # noqa: E731
    expect_rows(answer, make, (n, a), nested, leaves)
    work = 2 * n * a * a
    twice = "Rows come in the order of the calls; what an earlier row has counted is not counted again."
    rows = [("second", (n, a), a * a, work), ("first", (n, a), a * a + a, work)]
    rows += [("act", (n, a), 0, 0), ("first", (n, a), 0, work)]
    expect_rows(answer, lambda: Twice(a), (n, a), rows, twice)
    tied = [("embed", (n, a), a * a + a, work), ("head", (n, a), a, work)]
    expect_rows(answer, lambda: Tied(a), (n, a), tied, "Tied weights are one parameter: it is not counted again.")
    normal = [("0", (n, a), 2 * a, 0), ("1", (n, b), a * b + b, 2 * n * a * b)]
    make = lambda: nn.Sequential(nn.BatchNorm1d(a), nn.Linear(a, b)).requires_grad_(False)  # noqa: E731
    expect_rows(answer, make, (n, a), normal, "Parameters count, frozen ones too; buffers are no parameters.")


class TwoNames(nn.Module):
    """One layer under two names."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.one = nn.Linear(width, width)
        self.other = self.one

    def forward(self, x: Tensor) -> Tensor:
        return self.other(x)


@check("solved")
def convolutions_are_right(answer: Answer, draw: Draw) -> None:
    n, side = draw.integer(1, 3), 2 * draw.integer(3, 5)
    half = side // 2
    first, second = 2 * n * 8 * side * side * 3 * 9, 2 * n * 8 * half * half * 2 * 9
    rows = [("0", (n, 8, side, side), 8 * 27 + 8, first), ("1", (n, 8, half, half), 8 * 18, second)]
    rows += [("2", (n, 8 * half * half), 0, 0)]

    def build() -> nn.Module:
        grouped = nn.Conv2d(8, 8, 3, stride=2, padding=1, groups=4, bias=False)
        return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), grouped, nn.Flatten())

    teach = "A convolution does (channels in / groups) · kernel height · kernel width multiply-adds for each output."
    expect_rows(answer, build, (n, 3, side, side), rows, teach)


@check("solved")
def home_made_modules(answer: Answer, draw: Draw) -> None:
    n, width = draw.integer(2, 5), draw.integer(6, 9)
    rows = [("0", (n, n), width * width, 2 * n * width * width + 2 * n * n * width), ("1", (n, n), 0, 0)]
    teach = "Matrix products count whatever the module's class: let the counter see the ops instead of the layers."
    expect_rows(answer, lambda: nn.Sequential(Bilinear(width), nn.Identity()), (n, width), rows, teach)


@check("solved")
def evaluation_mode(answer: Answer, draw: Draw) -> None:
    teach = "In evaluation mode: a BatchNorm in training refuses a single row, since it has no variance. Call eval()."
    modes = []

    class Spy(nn.Identity):
        def forward(self, x: Tensor) -> Tensor:
            modes.append(self.training)
            return x

    expect_rows(answer, lambda: nn.Sequential(Spy()), (1, 4), [("0", (1, 4), 0, 0)], teach)
    expect(modes and not any(modes), "the network ran in training mode", teach=teach)


@check("solved")
def built_once(answer: Answer, draw: Draw) -> None:
    calls, width = [], draw.integer(3, 6)

    def build() -> nn.Module:
        calls.append(1)
        return nn.Linear(width, width)

    raw(answer.xray)(build, 2, width)
    expect(len(calls) == 1, f"build() was called {len(calls)} times", teach="A large network is built once.")
    rows = [("one", (2, width), width * width + width, 4 * width * width)]
    teach = "A module under two names is one module: one row for each of its calls, under its first name."
    expect_rows(answer, lambda: TwoNames(width), (2, width), rows, teach)


class OnlyMeta(TorchDispatchMode):
    """Ends the check at the first tensor that has memory, before anyone fills it."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if isinstance(result, Tensor) and result.device.type != "meta":
            raise MemoryError
        return result


@check("lean")
def nothing_is_really_made(answer: Answer, draw: Draw) -> None:
    teach = "A module made on the CPU has its memory before it moves: build it under torch.device('meta')."
    work = 2 * 8 * LARGE * LARGE
    expected = [("0", (8, LARGE), LARGE * LARGE + LARGE, work), ("1", (8, LARGE), 0, 0)]
    try:
        with OnlyMeta():
            rows = raw(answer.xray)(lambda: nn.Sequential(nn.Linear(LARGE, LARGE), nn.ReLU()), 8, LARGE)
    except (MemoryError, RuntimeError):
        fail("a network of 40 GB was given memory, instead of being made on the meta device", teach=teach)
    expect_close([tuple(row) for row in rows], expected, what="the rows of a network of 40 GB", teach=teach)
    try:
        with OnlyMeta():
            raw(answer.xray)(lambda: nn.Sequential(nn.Linear(2, 3), Bilinear(3)), 1, 2)
    except (MemoryError, RuntimeError):
        fail("a small network was given memory, instead of being made on the meta device", teach=teach)


class Ramp(nn.Module):
    """Makes tensors of its own while it runs, and names no device."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width) * torch.arange(1, width + 1))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.weight + torch.arange(x.shape[-1]) * torch.ones(x.shape[-1]) + torch.zeros(len(x), 1)


@check("lean")
def forwards_make_nothing_real(answer: Answer, draw: Draw) -> None:
    teach = "A forward may make tensors too: run it, as well as build(), under torch.device('meta')."
    n, width = draw.integer(2, 5), draw.integer(3, 6)
    expected = [("0", (n, width), width, 0), ("1", (n, 2), 2 * width + 2, 4 * n * width)]
    try:
        with OnlyMeta():
            rows = raw(answer.xray)(lambda: nn.Sequential(Ramp(width), nn.Linear(width, 2)), n, width)
    except (MemoryError, RuntimeError):
        fail("a tensor that a forward made was given memory, instead of being made on the meta device", teach=teach)
    expect_close([tuple(row) for row in rows], expected, what="the rows of a module that makes tensors", teach=teach)


class Products(nn.Module):
    """Products by other names: of stacks of matrices, by einsum, and a convolution by its function."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(width, width))

    def forward(self, x: Tensor) -> Tensor:
        turned = torch.einsum("nij,jk->nik", torch.bmm(x, x.mT) @ x, self.weight)
        return nn.functional.conv1d(turned, self.weight.new_zeros(2, x.shape[1], 1))


@check("solved")
def rows_are_rows(answer: Answer, draw: Draw) -> None:
    n, width = draw.integer(2, 4), draw.integer(3, 6)
    rows = raw(answer.xray)(lambda: nn.Linear(width, 2), n, width)
    kinds = isinstance(rows, list) and all(isinstance(row, raw(answer.Row)) for row in rows)
    expect(kinds, f"xray returns {rows!r}, and should return a list of Rows", teach="Each entry is a Row, by name.")
    ints = all(type(value) is int for row in rows for value in (row.parameters, row.flops, *row.shape))
    expect(ints, f"{rows!r} holds other things than ints", teach="Counts are plain Python ints.")
    work = 2 * n * 5 * 5 * width * 2 + 2 * n * 5 * width * width + 2 * n * 2 * width * 5
    expected = [("", (n, 2, width), width * width, work)]
    teach = "Matrix products and convolutions count by whatever name they are called: let the counter see the ops."
    expect_rows(answer, lambda: Products(width), (n, 5, width), expected, teach)
