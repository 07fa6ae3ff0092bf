"""Grades hvp: a float64 Hessian, written out by hand, times the vector; then bytes and ops at two sizes."""

import torch
from torch import Tensor, nn

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_close,
    expect_no_trace,
    expect_peak_memory,
    expect_same,
    expect_same_ops,
    looks_like,
)

PROMISES = {
    "The result may have a graph or none.": None,
    "`hvp(function, x, vector)` returns H · vector, where H is": "products_are_right",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

FORBIDDEN = dict.fromkeys(
    [f"torch.autograd.functional.{name}" for name in ("hvp", "vhp", "hessian")],
    "That function is the one you are writing: build it from two calls of torch.autograd.grad.",
)
SHAPES = [(), (1,), (2,), (2, 3)]
BUDGET_TENSORS = 32
"""Two backward passes through a dozen operations keep some 20 tensors of n numbers."""


class Waves(nn.Module):
    """Σ sin(weight · x · its right neighbour) + Σ weight · x³: neighbours share curvature, the ends meet."""

    def __init__(self, weight: Tensor) -> None:
        super().__init__()
        self.weight = nn.Parameter(weight)

    def forward(self, x: Tensor) -> Tensor:
        flat, weight = x.reshape(-1), self.weight.reshape(-1)
        return (weight * flat * flat.roll(-1)).sin().sum() + (weight * flat**3).sum()

    def __repr__(self) -> str:
        return "x ↦ Σ sin(w[i] · x[i] · x[i+1]) + Σ w[i] · x[i]³"


class Straight(Waves):
    """Σ weight · x: no curvature anywhere."""

    def forward(self, x: Tensor) -> Tensor:
        return (self.weight * x).sum()

    def __repr__(self) -> str:
        return "x ↦ Σ w[i] · x[i]"


class PartlyStraight(Waves):
    """Curved in the first element alone."""

    def forward(self, x: Tensor) -> Tensor:
        flat = x.reshape(-1)
        return flat.sum() + self.weight.reshape(-1)[0] * flat[0] ** 3

    def __repr__(self) -> str:
        return "x ↦ Σ x[i] + w[0] · x[0]³"


def hessian(function: Waves, x: Tensor) -> Tensor:
    """(n, n), from the formula: entry (i, i + 1) from the sine of each neighbouring pair, the diagonal from both."""
    flat, weight = x.double().reshape(-1), function.weight.detach().double().reshape(-1)
    n = len(flat)
    result = torch.diag(6 * weight * flat)
    for i in range(n):
        j = (i + 1) % n
        w, a, b = weight[i], flat[i], flat[j]
        sine, cosine = (w * a * b).sin(), (w * a * b).cos()
        if i == j:  # one element is its own neighbour: sin(w a²)
            result[i, i] += 2 * w * cosine - 4 * w**2 * a**2 * sine
            continue
        result[i, i] -= (w * b) ** 2 * sine
        result[j, j] -= (w * a) ** 2 * sine
        cross = w * cosine - w**2 * a * b * sine
        result[i, j] += cross
        result[j, i] += cross
    return result


def reference(function: Waves, x: Tensor, vector: Tensor) -> Tensor:
    return (hessian(function, x) @ vector.double().reshape(-1)).reshape(x.shape).to(x.dtype)


def waves(draw: Draw, *shape: int) -> tuple[Waves, Tensor, Tensor]:
    return Waves(draw.normal(*shape)), draw.normal(*shape), draw.normal(*shape)


@check("solved")
def products_are_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(
            lambda f, x, v: (hessian(f, x).sum(0).to(x.dtype) * v.reshape(-1)).reshape(x.shape),
            "The gradient of slope.sum() adds up each row of H before the vector came in: the vector belongs inside.",
        ),
        looks_like(
            lambda f, x, v: (hessian(f, x).diagonal().to(x.dtype) * v.reshape(-1)).reshape(x.shape),
            "Only the diagonal of H: neighbours bend each other too.",
        ),
    ]
    teach = "H · vector is the gradient of (slope · vector), with the vector held fixed; exact, not a difference."
    for case in draw.cases(waves, SHAPES):
        expect_same(answer.hvp, reference, *case, diagnose=known, teach=teach, rtol=1e-3, atol=1e-4)
    for case in draw.cases(waves, [(3,), (2, 2)], dtypes=(torch.float64,), layouts=("strided",)):
        expect_same(answer.hvp, reference, *case, diagnose=known, teach=teach, rtol=1e-11, atol=1e-11)


@check("solved")
def straight_functions_give_zeros(answer: Answer, draw: Draw) -> None:
    teach = "A straight function's slope does not depend on x: no graph leads back to it, and its curvature is 0."
    for shape in [(), (3,)]:
        weight, x, vector = draw.normal(*shape), draw.normal(*shape), draw.normal(*shape)
        for function in (Straight(weight), Straight(weight).requires_grad_(False)):
            expect_same(answer.hvp, lambda f, x, v: torch.zeros_like(x), function, x, vector, teach=teach)
    for x, vector in draw.cases(lambda draw, n: (draw.normal(n), draw.normal(n)), [3], dtypes=(torch.float64,)):
        straight = Straight(x.clone()).requires_grad_(False)
        expect_same(answer.hvp, lambda f, x, v: torch.zeros_like(x), straight, x, vector, teach=teach)
    x, vector = draw.normal(3), draw.normal(3)
    expected = torch.tensor([6.0, 0.0, 0.0])
    curved = lambda f, x, v: expected * f.weight.detach() * x * v  # noqa: E731
    expect_same(answer.hvp, curved, PartlyStraight(draw.normal(3)), x, vector, teach=teach)
    weight = draw.normal(3).requires_grad_()
    bent = {
        "Σ relu(x)": lambda x: x.relu().sum(),
        "Σ |x|": lambda x: x.abs().sum(),
        "x[1]": lambda x: x[1],
        "Σ w · x, and a weight": lambda x: (weight * x).sum() + weight.square().sum(),
        "Σ x, added twice": lambda x: (x + x).sum() * 2,
    }
    for name, function in bent.items():
        got = answer.hvp(function, x, vector)
        expect_close(got.detach(), torch.zeros(3), what=f"the curvature of {name}", teach=teach)


@check("solved")
def no_trace_is_left(answer: Answer, draw: Draw) -> None:
    teach = "backward() writes into .grad, of x and of every weight; torch.autograd.grad returns and writes nothing."
    function, x, vector = waves(draw, 3)
    answer.hvp(function, x, vector)
    expect(not x.requires_grad, "x did not require a gradient before the call and does now", teach=teach)
    answer.hvp(function, x.requires_grad_(), vector)
    expect(x.grad is None, "x.grad was None before the call and is a tensor now", teach=teach)
    expect(function.weight.grad is None, "the function's weight has got a .grad", teach=teach)
    expect_no_trace(answer.hvp, *waves(draw, 3))


@check("solved")
def any_vector_will_do(answer: Answer, draw: Draw) -> None:
    """Zero, tiny and huge ones: the product is straight in the vector."""
    teach = "The vector comes in as it is: a vector of zeros gives zeros, not NaN."
    for factor in (0.0, 1e-20, 1e12):
        function, x, vector = waves(draw, 4)
        expect_same(answer.hvp, reference, function, x, vector * factor, teach=teach, rtol=2e-2, atol=1e-4 * factor)


@check("lean")
def memory_stays_small(answer: Answer, draw: Draw) -> None:
    n = 64
    expect_peak_memory(
        answer.hvp,
        *waves(draw, n),
        at_most_bytes=4 * BUDGET_TENSORS * n,
        compared_with=f"the budget of {BUDGET_TENSORS} tensors like x",
        teach="Somewhere n × n numbers live: the vector has to come in before the second derivatives are spread out.",
    )


@check("lean")
def ops_do_not_grow(answer: Answer, draw: Draw) -> None:
    teach = "One backward pass for each row of H is n of them; with the vector coming in, one is enough."
    for n in (8, 3_000):
        expect_same_ops(answer.hvp, waves(draw, 4), waves(draw, n), teach=teach)
