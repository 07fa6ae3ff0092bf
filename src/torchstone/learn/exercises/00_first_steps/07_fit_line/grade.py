"""Grades fit_line: the same walk with gradients by hand, then a line through scattered points, drawn."""

from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from torchstone.learn.grading import Answer, Draw, check, expect, expect_same, looks_like, save_picture, watch_call

PROMISES = {
    "`fit_line(x, y, steps, rate)` fits a line": "steps_are_right",
    "loss.backward() writes into slope.grad and intercept.grad how": None,
    "go the other way: take rate times its gradient from each": "steps_are_right",
    "set both gradients back to None (or zero)": "steps_are_right",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

WALKS = [(3, 1, 0.1), (1, 1, 0.1), (4, 2, 0.05), (5, 7, 0.1), (4, 0, 0.1), (5, 60, 0.005)]
"""Points, steps and rate; many small steps are still far from the best line."""
SIDE = 120
COMPUTING = ("aten.mul", "aten.add", "aten.sub", "aten.pow", "aten.mean", "aten.div", "aten.square", "aten.sum")
Pair = tuple[float, float]


def walk(x: Tensor, y: Tensor, steps: int, rate: float, forget: bool = True, sums: bool = False) -> Pair:
    x, y = x.double(), y.double()
    slope = intercept = 0.0
    down = across = 0.0
    share = 1 if sums else len(x)
    for _ in range(steps):
        error = slope * x + intercept - y
        gradients = (2 * (error * x).sum().item() / share, 2 * error.sum().item() / share)
        down, across = gradients if forget else (down + gradients[0], across + gradients[1])
        slope, intercept = slope - rate * down, intercept - rate * across
    return slope, intercept


def one_after_the_other(x: Tensor, y: Tensor, steps: int, rate: float) -> Pair:
    x, y = x.double(), y.double()
    slope = intercept = 0.0
    for _ in range(steps):
        slope -= rate * 2 * ((slope * x + intercept - y) * x).mean().item()
        intercept -= rate * 2 * (slope * x + intercept - y).mean().item()
    return slope, intercept


def best_line(x: Tensor, y: Tensor, steps: int, rate: float) -> Pair:
    x, y = x.double(), y.double()
    centered = x - x.mean()
    slope = ((centered * y).sum() / centered.square().sum()).item()
    return slope, y.mean().item() - slope * x.mean().item()


KNOWN = [
    looks_like(lambda x, y, steps, rate: (0.0, 0.0), "The line never moved: is there a step, and is it in place?"),
    looks_like(lambda x, y, steps, rate: walk(x, y, steps, -rate), "The step goes uphill: take it *from* the slope."),
    looks_like(
        lambda x, y, steps, rate: walk(x, y, steps, rate, forget=False),
        "backward() adds to .grad: forget the gradients after each step.",
    ),
    looks_like(
        lambda x, y, steps, rate: walk(x, y, steps, rate, sums=True), "That is the sum of squares, not the mean."
    ),
    looks_like(lambda x, y, steps, rate: walk(x, y, steps, rate / 2), "Half a step: the square has a factor of 2."),
    looks_like(lambda x, y, steps, rate: walk(x, y, steps + 1, rate), "That is one step too many."),
    looks_like(one_after_the_other, "Both gradients belong to the same line: compute them before you move either."),
    looks_like(best_line, "That is the best line by a formula; the task asks for the line after so many steps."),
]


def points(draw: Draw, n: int, steps: int, rate: float) -> tuple[Tensor, Tensor, int, float]:
    return draw.normal(n), draw.normal(n, scale=2) + 1, steps, rate


@check("solved")
def steps_are_right(answer: Answer, draw: Draw) -> None:
    teach = "Each step takes rate · gradient from the slope and from the intercept."
    for x, y, steps, rate in draw.cases(points, WALKS, dtypes=(torch.float32, torch.float64)):
        expect_same(answer.fit_line, walk, x, y, steps, rate, diagnose=KNOWN if steps else (), teach=teach)


@check("solved")
def results_are_plain_numbers(answer: Answer, draw: Draw) -> None:
    got = answer.fit_line(*points(draw, 3, 2, 0.1))
    plain = isinstance(got, tuple) and all(type(one) is float for one in got)
    expect(plain, "the result is not a pair of Python floats", teach=".item() takes the number out of a tensor.")


@check("solved")
def the_dtype_is_kept(answer: Answer, draw: Draw) -> None:
    """Points that differ where float32 sees no difference any more."""
    teach = "float64 points deserve a float64 line: make slope and intercept with dtype=x.dtype."
    for case in draw.cases(points, [(4, 5, 0.1)], dtypes=(torch.float64,)):
        expect_same(answer.fit_line, walk, *case, teach=teach, rtol=1e-11, atol=1e-12)


@check("solved")
def steps_go_on_where_the_loss_stands(answer: Answer, draw: Draw) -> None:
    """Points far apart, which no line comes near: the loss hardly falls, and the line moves all the same."""
    teach = "Every step is taken: a loss that hardly falls ends nothing."
    for x in draw.cases(lambda draw: draw.place(torch.tensor([-1.0, 1.0, -1.0, 1.0])), dtypes=(torch.float64,)):
        torn = 2 * x + 1 + 1e6 * draw.place(torch.tensor([1.0, 1.0, -1.0, -1.0]), x.dtype)
        expect_same(answer.fit_line, walk, x, torn, 9, 0.1, teach=teach, rtol=1e-6)


@check("solved")
def the_line_fits(answer: Answer, draw: Draw) -> None:
    slope, intercept = draw.choice([-1.5, -0.5, 0.8, 2.0]), draw.choice([-1.0, 0.0, 1.0])
    x = draw.uniform(40, low=-1, high=1)
    y = slope * x + intercept + draw.normal(40, scale=0.15)
    got = expect_same(answer.fit_line, walk, x, y, 60, 0.3)
    found, ideal = got, best_line(x.cpu(), y.cpu(), 0, 0)
    close = max(abs(found[0] - ideal[0]), abs(found[1] - ideal[1])) < 0.05
    expect(close, f"after 60 steps the line is {found}, and the best one is {ideal}")
    save_picture("your line", draw_line(x.cpu(), y.cpu(), *found))


@check("solved")
def work_stays_on_the_device(answer: Answer, draw: Draw) -> None:
    """The host may read the slope and the intercept, and never the points."""
    seen = watch_call(answer.fit_line, *points(draw, 9, 3, 0.1))
    most = max((count for _, count, _ in seen.reads), default=0)
    teach = "Make slope and intercept on the device of x, device=x.device, and leave the points where they are."
    expect(most <= 2, f"{most} numbers at once are brought to the host", teach=teach)


class Arithmetic(TorchDispatchMode):
    """Where, and in which float dtype, numbers are computed; what is only made, copied or looked at does not count."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, torch.dtype, str]] = []

    def __torch_dispatch__(self, op: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = op(*args, **(kwargs or {}))
        if any(part in str(op) for part in COMPUTING) and isinstance(result, Tensor) and result.is_floating_point():
            self.found.append((str(op).split(".")[1], result.dtype, result.device.type))
        return result


@check("solved")
def the_line_lives_with_its_points(answer: Answer, draw: Draw) -> None:
    teach = "Make slope and intercept with dtype=x.dtype and device=x.device, and convert nothing on the way."
    for case in draw.cases(points, [(4, 2, 0.1)], dtypes=(torch.float32, torch.float64), repeats=1):
        with Arithmetic() as seen:  # type: ignore[no-untyped-call]
            answer.fit_line(*case)
        x = case[0]
        for name, dtype, device in seen.found:
            expect(dtype == x.dtype, f"x is {x.dtype}, and {name} is computed in {dtype}", teach=teach)
            expect(device == x.device.type, f"x is on {x.device.type}, and {name} is computed on {device}", teach=teach)
        if x.dtype == torch.float32:
            line = answer.fit_line(*case)
            fits = all(torch.tensor(one, dtype=torch.float32).item() == one for one in line)
            said = f"x is float32, and {line} has more digits than float32 holds"
            expect(fits, said, teach="slope and intercept are tensors of the dtype of x, from the first step on.")
            far = x * 1e25, case[1] * 1e25
            grown = [abs(one) for one in answer.fit_line(*far, 1, 1.0)]
            said = "the squares of points near 1e25 do not fit into float32, and the slope is a number all the same"
            expect(not grown[0] < float("inf"), said, teach=teach)


@check("solved")
def no_step_is_left_out(answer: Answer, draw: Draw) -> None:
    """Points that are nearly on the first line already, points far out, and many steps."""
    draw.dtype = torch.float64 if draw.device.type == "cpu" else draw.dtype
    x, y, _, _ = points(draw, 5, 0, 0.0)
    teach = "Every step is taken, and taken whole: no loss is too small for it and no gradient too large."
    expect_same(answer.fit_line, walk, x, y * 1e-9, 4, 0.1, teach=teach, atol=1e-15)
    expect_same(answer.fit_line, walk, x * 1e4, y * 1e4, 2, 1e-9, teach=teach, atol=1e-9)
    if draw.device.type == "cpu":
        expect_same(answer.fit_line, walk, x, y, 300, 0.002, teach="So many steps as were asked for.")
    teach = "Every step is taken: with a large rate the loss grows, and the line goes on all the same."
    expect_same(answer.fit_line, walk, x, y, 6, 2.0, teach=teach)
    y[0] = torch.nan
    lost = all(one != one for one in answer.fit_line(x, y, 2, 0.1))
    expect(lost, "a point without a place, NaN, was left out", teach="The mean goes over all points; NaN makes it NaN.")


def draw_line(x: Tensor, y: Tensor, slope: float, intercept: float) -> Tensor:
    """White paper, blue points, a red line; from −1 to 1 across and from −4 to 4 upwards."""
    paper = torch.full((3, SIDE, SIDE), 255, dtype=torch.uint8)
    across = torch.linspace(-1, 1, 4 * SIDE)
    plot(paper, across, slope * across + intercept, (220, 40, 40), 0)
    plot(paper, x.float(), y.float(), (40, 80, 200), 1)
    return paper


def plot(paper: Tensor, x: Tensor, y: Tensor, colour: tuple[int, int, int], size: int) -> None:
    columns = ((x + 1) / 2 * (SIDE - 1)).round().long().clamp(size, SIDE - 1 - size)
    rows = ((4 - y) / 8 * (SIDE - 1)).round().long().clamp(size, SIDE - 1 - size)
    for down in range(-size, size + 1):
        for along in range(-size, size + 1):
            paper[:, rows + down, columns + along] = torch.tensor(colour, dtype=torch.uint8)[:, None]
