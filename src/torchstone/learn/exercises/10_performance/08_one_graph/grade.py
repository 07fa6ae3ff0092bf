"""Grades one_graph: compiled with a backend that only counts; five shapes and five limits."""

import contextlib
import io
import logging

import torch
import torch._dynamo
from torch import Tensor

from torchstone.learn.grading import Answer, Draw, check, expect, expect_close, expect_same, looks_like, note, raw

PROMISES = {
    "Rounding errors in the last bits are fine; very large": "no_number_is_lost",
    "And a graph holds only as long as its assumptions": None,
    "The starter goes through the rows in Python, asks each": None,
    "Lean: at most two compilations over five shapes with five": "few_compilations",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

logging.getLogger("torch._dynamo").setLevel(logging.CRITICAL)
SHAPES = [(2, 3), (3, 4), (5, 6), (7, 2), (4, 8)]
COMPILATIONS = 2
BREAK = "The host must know a value, or print one, before it can go on: let the device decide, with clamp or where."


def reference(x: Tensor, limit: float) -> Tensor:
    exact = x.double()
    rows = [row * (limit / row.abs().max()) if row.abs().max() > limit else row for row in exact]
    return torch.stack(rows).to(x.dtype)


def all_scaled(x: Tensor, limit: float) -> Tensor:
    return x * (limit / x.abs().amax(1, keepdim=True))


def case(draw: Draw, rows: int, n: int) -> tuple[Tensor, float]:
    x = draw.normal(rows, n) * draw.place(torch.tensor([0.1, 1.0, 5.0])[torch.randint(0, 3, (rows, 1))])
    return x, draw.choice([0.25, 0.5, 1.0, 2.0])


def silent(draw: Draw, rows: int, n: int) -> tuple[Tensor, float]:
    x, limit = case(draw, rows, n)
    x[draw.integer(0, rows - 1)] = 0
    return x, limit


@check("solved")
def results_are_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(all_scaled, "Quiet rows were made louder: the factor is never above 1."),
        looks_like(
            lambda x, limit: x.clamp(-limit, limit), "That cuts single values off; the row as a whole is scaled."
        ),
        looks_like(
            lambda x, limit: x * min(1.0, limit / x.abs().max().item()), "Each row has a loudest value of its own."
        ),
    ]
    dtypes, layouts = (torch.float32, torch.float64, torch.float16, torch.bfloat16), ("contiguous", "strided")
    for arguments in draw.cases(case, [(1, 1), (1, 3), (2, 2), (4, 5)], dtypes=dtypes, layouts=layouts):
        expect_same(answer.squash, reference, *arguments, diagnose=known)
    for rows, n in ((600, 2), (2, 3000)):
        expect_same(answer.squash, reference, *case(draw, rows, n), diagnose=known)
    fine = draw.normal(3, 4, dtype=torch.float64) * 3
    expect_same(answer.squash, reference, fine, 0.25, teach="float64 keeps its digits.", rtol=1e-12, atol=0.0)


UNTOUCHED = "A quiet row stays as it is: times limit and divided by it, very large numbers are infinite on the way."
SMALL = "x / loudest is 0 for a number that is small beside the loudest one: make the factor limit / loudest first."
LAST_BIT = 3e-7
"""limit / limit is 1 or its neighbour: torch divides a number by a tensor as number · (1 / tensor)."""


def expect_untouched(got: Tensor, x: Tensor, limit: float) -> None:
    quiet = x.abs().amax(1) <= limit
    same = torch.allclose(got[quiet], x[quiet], rtol=LAST_BIT, atol=0.0)
    expect(same, "a row that is not above the limit came back changed", teach=UNTOUCHED)


@check("solved")
def silent_rows_stay_silent(answer: Answer, draw: Draw) -> None:
    teach = "limit / 0 is infinite and 0 · inf is NaN: clamp first."
    for arguments in draw.cases(silent, [(1, 2), (3, 4)]):
        expect_same(answer.squash, reference, *arguments, teach=teach)


@check("solved")
def no_number_is_lost(answer: Answer, draw: Draw) -> None:
    for limit in (0.3, 1.7, 3e-10, 3e10):
        x = draw.uniform(4, 64, low=0.1, high=1.0)
        x[0] *= 1e-35
        x[1:3] *= limit / 9
        x[3] *= 1e30
        expect_untouched(expect_same(answer.squash, reference, x, limit, teach=UNTOUCHED), x, limit)
    huge = draw.uniform(2, 3, low=1e38, high=3e38)
    expect_same(answer.squash, reference, huge, 9.7, teach="limit · x is infinite here: divide first.")
    for loudest, small, limit in (
        (1e30, 1e-15, 1e25),
        (1e20, 1e-25, 1e19),
        (1e25, 1.0, 3e-10),
        (1e-20, 1e-30, 1e-25),
        (1e-34, 1e-36, 1e-35),
    ):
        x = draw.uniform(3, 4, low=0.3, high=1.0) * small
        x[:, 1] = -loudest
        expect_same(answer.squash, reference, x, limit, teach=SMALL, atol=0.0)


@check("solved")
def halves_are_not_lost(answer: Answer, draw: Draw) -> None:
    teach = (
        "Half precision ends at 65,504: limit · x is infinite soon, and a small extra is large beside small numbers."
    )
    for loudest, limit in ((6e4, 8.0), (6e4, 100.0), (2.0**-6, 2.0**-8), (2.0**-9, 2.0**-11)):
        for dtype in (torch.float16, torch.bfloat16):
            x = (draw.uniform(3, 4, low=0.3, high=1.0) * loudest).to(dtype)
            x[:, 1] = -loudest
            expect_same(answer.squash, reference, x, limit, teach=teach, atol=0.0)


@check("solved")
def nothing_breaks_the_graph(answer: Answer, draw: Draw) -> None:
    torch._dynamo.reset()
    x, limit = draw.normal(3, 4), 0.5
    compiled = torch.compile(raw(answer.squash), backend="eager", fullgraph=True)
    try:
        got = compiled(x, limit)
    except torch._dynamo.exc.TorchDynamoException as error:
        reason = str(error).strip().splitlines()[0]
        code = [line.strip() for line in str(error).splitlines() if line.startswith("    ") and "^" not in line]
        place = code[-1] if code else ""
        expect(False, f"the graph breaks: {reason}{f', at `{place}`' if place else ''}", teach=BREAK)
    expect_close(got, reference(x.cpu(), limit), what="the compiled result", device=draw.device)
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        raw(answer.squash)(x, limit)
    expect(not output.getvalue(), "squash prints", teach="A report belongs to the caller: print breaks the graph.")


class Counter:
    """A backend that compiles nothing and counts the graphs."""

    def __init__(self) -> None:
        self.graphs = 0

    def __call__(self, module: torch.fx.GraphModule, inputs: list) -> object:
        self.graphs += 1
        return module.forward


@check("lean")
def few_compilations(answer: Answer, draw: Draw) -> None:
    torch._dynamo.reset()
    counter = Counter()
    compiled = torch.compile(raw(answer.squash), backend=counter)
    shapes = [(rows + draw.integer(0, 1) * 10, n) for rows, n in SHAPES]
    with torch._dynamo.config.patch(recompile_limit=64):  # a graph that torch gave up on would not be counted
        for place, (rows, n) in enumerate(shapes):
            x, limit = draw.normal(rows, n), 0.3 + 0.17 * place
            expect_close(compiled(x, limit), reference(x.cpu(), limit), what=f"the compiled result for {rows}×{n}")
    expect(
        counter.graphs <= COMPILATIONS,
        f"{counter.graphs} graphs were compiled for {len(shapes)} shapes and limits; {COMPILATIONS} are enough",
        teach="A graph is compiled again when its assumptions fail: a loop over rows fixes their number, a global "
        "counter or math.log(limit) fixes a value. Leave lengths and numbers to the ops.",
    )
    note(f"{counter.graphs} graphs for {len(shapes)} shapes")
