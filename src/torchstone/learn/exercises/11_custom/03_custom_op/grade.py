"""Grades custom_op: a matrix of powers in float64 as the reference; torch's own opcheck; one traced graph."""

from typing import Any

import torch
from torch import Tensor
from torch._prims_common import check_significant_strides
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_close,
    expect_same,
    expect_same_gradients,
    fail,
    guard,
    looks_like,
    raw,
)

PROMISES = {
    "An *operator* is one node to them: a name, a": None,
    "`rate` is a number and has none.": "gradients_are_right",
    "So a NaN or an infinity in x reaches no step before its own.": "values_are_right",
    "`learn::decay` is the only operator under `learn::`": "it_is_an_operator",
    "`torch.library.opcheck` tells whether all of it fits together; call it": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

SHAPES = [(1,), (2,), (3,), (2, 4), (3, 1), (2, 3, 5), (0,), (3, 0)]
RATES = [0.5, 0.0, -0.9, 1.0, 1.5, -2.0]
CPU = torch.device("cpu")
FORWARD = "y[t] = rate · y[t − 1] + x[t], and y[0] = x[0]."
LONG = "After many steps a power of the rate is 0, and 1 divided by it inf: add up step by step, and leave nothing out."
BACKWARD = "Each x[t] is in y[t], y[t + 1], …: the gradient is the leaky sum of g from the end to the beginning."
OPCHECKS = {
    "test_schema": "The schema promises that arguments are left alone and that the result is a tensor of its own: no "
    "argument may be changed, returned, or looked at by a view.",
    "test_autograd_registration": "Gradients belong in register_autograd, not into the kernel.",
    "test_faketensor": "The fake must give what the kernel gives: the same shape, dtype, device and strides.",
    "test_aot_dispatch_dynamic": "What a compiler makes of it, with sizes that are not yet known, gives other results.",
}


def reference(x: Tensor, rate: float) -> Tensor:
    """y = powers · x, with rate^(t − s) at [t, s] for s ≤ t."""
    steps = torch.arange(x.shape[-1])
    apart = steps[:, None] - steps
    powers = torch.where(apart < 0, 0.0, torch.tensor(rate, dtype=torch.float64) ** apart.clamp(min=0))
    return (x.double() @ powers.mT).to(x.dtype)


def step_by_step(x: Tensor, rate: float) -> Tensor:
    """As the task says it; the matrix would carry a NaN back in time."""
    steps = [step.double() for step in x.unbind(-1)]
    for place in range(1, len(steps)):
        steps[place] = rate * steps[place - 1] + steps[place]
    return torch.stack(steps, -1).to(x.dtype)


def case(draw: Draw, *shape: int) -> tuple[Tensor, float]:
    return draw.normal(*shape), draw.choice(RATES) if shape[-1] > 1 else 0.5


def long_cases(draw: Draw) -> list[tuple[Tensor, float]]:
    """So many steps that a power of the rate is 0, even in float64; and rates that forget slowly."""
    single, double = torch.float32, torch.float64
    kinds = [(400, single, 0.1), (520, double, -0.5), (150, single, 0.99), (150, double, 1.0)]
    return [(draw.normal(2, steps).to(dtype), rate) for steps, dtype, rate in kinds]


def operator() -> Any:
    """torch.ops.learn.decay.default, or a failure that says how to get there."""
    try:
        return torch.ops.learn.decay.default
    except AttributeError:
        fail(
            "torch knows no operator learn::decay",
            teach='@torch.library.custom_op("learn::decay", mutates_args=()) above the function registers it.',
        )


@check("solved")
def values_are_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(lambda x, r: x.cumsum(-1), "That is the plain sum: what was summed up must shrink at each step."),
        looks_like(lambda x, r: reference(x.flip(-1), r).flip(-1), "Time runs backward there: y[0] = x[0]."),
    ]
    dtypes = (torch.float32, torch.float64)
    for x, rate in draw.cases(case, SHAPES, dtypes=dtypes, layouts=("contiguous", "transposed", "strided")):
        expect_same(answer.decay, reference, x, rate, teach=FORWARD, diagnose=known)
    for rate in RATES:
        expect_same(answer.decay, reference, draw.normal(2, 4), rate, teach=FORWARD, diagnose=known)
    for x, rate in long_cases(draw):
        expect_same(answer.decay, reference, x, rate, teach=LONG)
    later = (
        "What is no number reaches later steps of its own row, none before it: 0 times infinity is NaN in a product."
    )
    for odd in (torch.nan, torch.inf, -torch.inf):
        for rate in (0.5, -0.9, 1.0):
            x = torch.randn(2, 3, 6)
            x[0, 1, 3] = odd
            expect_same(answer.decay, step_by_step, draw.place(x, draw.choice(dtypes)), rate, teach=later)


@check("solved")
def it_is_an_operator(answer: Answer, draw: Draw) -> None:
    found = operator()
    own = sorted({name.split(".")[0] for name in torch._C._dispatch_get_all_op_names() if name.startswith("learn::")})
    message = f"registered under learn:: are {own}, and should be learn::decay alone"
    expect(own == ["learn::decay"], message, teach="The backward needs no operator of its own: decay can do it.")
    x = draw.on(CPU).normal(2, 3)
    expect_close(found(x, 0.5), reference(x, 0.5), what="the result of torch.ops.learn.decay", teach=FORWARD)
    decay = raw(answer.decay)
    graph = make_fx(lambda x: decay(x, 0.5))(x)
    called = [node for node in graph.graph.nodes if node.op == "call_function"]
    expect(
        any(node.target is found for node in called),
        f"decay does not call the operator: a trace of it shows {[str(node.target) for node in called][:4]}",
        teach="The name decay should stand for what custom_op returns, so that every call is a call of the operator.",
    )


@check("solved")
def gradients_are_right(answer: Answer, draw: Draw) -> None:
    for rate in RATES:
        for x, _ in draw.cases(case, [(1,), (2,), (2, 4), (3, 0)], layouts=("contiguous", "transposed")):
            expect_same_gradients(answer.decay, reference, x, rate, wrt=(0,), teach=BACKWARD)
    for x, rate in long_cases(draw)[::2]:
        expect_same_gradients(answer.decay, reference, x, rate, wrt=(0,), teach=LONG)


@check("solved")
def gradients_have_gradients(answer: Answer, draw: Draw) -> None:
    decay = raw(answer.decay)

    def slope(function: Any, x: Tensor, g: Tensor) -> Tensor:
        """The gradient of Σ function(x²) · g in x: bent, so that it depends on x itself."""
        x = x if x.requires_grad else x.requires_grad_()
        result = torch.autograd.grad(function(x.square(), 0.5), x, g, create_graph=True)[0]
        if not result.requires_grad:
            fail("the gradient has no gradient itself", teach="Let the backward call decay: it has a backward already.")
        return result

    for x, g in draw.cases(lambda draw, n: (draw.normal(n), draw.normal(n)), [2, 4], dtypes=(torch.float64,)):
        expect_same_gradients(
            guard(lambda x, g: slope(decay, x, g), "decay's gradient"),
            lambda x, g: slope(reference, x, g),
            x,
            g,
            teach="The backward goes through operations that autograd knows: decay itself is one of them.",
        )


@check("solved")
def opcheck_passes(answer: Answer, draw: Draw) -> None:
    found, own = operator(), draw.on(CPU)
    tensors = [
        ("x of (2, 3)", own.normal(2, 3), 0.5),
        ("x of (2, 3), transposed", own.normal(3, 2).mT, 0.5),
        ("x of (2, 3) and rate 0", own.normal(2, 3), 0.0),
        ("x of (3, 1)", own.normal(3, 1), 0.5),
        ("x of (3, 0)", own.normal(3, 0), 0.5),
        ("x of (0, 3)", own.normal(0, 3), 0.5),
        ("every other column of x", own.normal(2, 6)[:, ::2], 0.5),
        ("x of (2, 3, 4), axes turned round", own.normal(4, 3, 2).permute(2, 1, 0), 1.0),
        ("x of (2, 3), one row twice", own.normal(1, 3).expand(2, 3), 0.5),
    ]
    quick = ("test_schema", "test_faketensor")
    for place, (name, x, rate) in enumerate(tensors):
        tests = tuple(OPCHECKS) if place == 0 else quick
        results = torch.library.opcheck(found, (x.requires_grad_(), rate), test_utils=tests, raise_exception=False)
        for test, outcome in results.items():
            if outcome != "SUCCESS":
                reason = next(iter(str(outcome).strip().splitlines()), "")[:200]
                fail(f"opcheck's {test} fails for {name}: {reason}", teach=OPCHECKS[test])


@check("solved")
def fake_and_kernel_agree(answer: Answer, draw: Draw) -> None:
    found, own = operator(), draw.on(CPU)
    for name, x in laid_out(own):
        for rate in (0.5, 0.0, 1.0):
            expect_as_described(found, name, x, rate)
        expect_as_described(found, name, x.double(), 0.5)


def laid_out(draw: Draw) -> list[tuple[str, Tensor]]:
    return [
        ("x of (2, 3)", draw.normal(2, 3)),
        ("x of (2, 3), transposed", draw.normal(3, 2).mT),
        ("every other row of x", draw.normal(6, 4)[::2]),
        ("x of (2, 3, 4), axes turned round", draw.normal(4, 3, 2).permute(2, 1, 0)),
        ("x of (2, 3), one row twice", draw.normal(1, 3).expand(2, 3)),
        ("x of (2, 3), one column thrice", draw.normal(2, 1).expand(2, 3)),
        ("x of (2, 1, 3), last axes turned", draw.normal(2, 3, 1).mT),
        ("x of (3, 4, 1), first axes turned", draw.normal(4, 3, 1).transpose(0, 1)),
        ("x of (2, 3, 0)", draw.normal(2, 3, 0)),
    ]


def expect_as_described(found: Any, name: str, x: Tensor, rate: float) -> None:
    """Shape, strides, dtype and device of the fake are those of the result, which is a tensor of its own."""
    mode = FakeTensorMode()
    with mode:
        fake = found(mode.from_tensor(x), rate)
    result = found(x, rate)
    same = check_significant_strides(fake, result, only_cuda=False)[0] and fake.shape == result.shape
    same = same and fake.dtype == result.dtype == x.dtype and fake.device == result.device
    expect(
        same,
        f"for {name} and rate {rate} the fake says {tuple(fake.shape)} with strides {fake.stride()} in {fake.dtype}; "
        f"the kernel gives {tuple(result.shape)} with strides {result.stride()} in {result.dtype}",
        teach=OPCHECKS["test_faketensor"],
    )
    apart = not x.numel() or result.untyped_storage().data_ptr() != x.untyped_storage().data_ptr()
    expect(apart and result is not x, f"for {name} and rate {rate} the result is x", teach=OPCHECKS["test_schema"])


@check("solved")
def it_compiles_into_one_graph(answer: Answer, draw: Draw) -> None:
    decay, x = raw(answer.decay), draw.on(CPU).normal(2, 3)
    graph = make_fx(lambda x: decay(x * 2, 0.5) + 1, tracing_mode="fake")(x)
    names = [str(node.target) for node in graph.graph.nodes if node.op == "call_function"]
    expect(
        len(names) == 3 and names[1].startswith("learn.decay"),
        f"x ↦ decay(2x, 0.5) + 1 is traced as {names} and should be three nodes",
        teach="In a graph the operator is one node; its loop must not show.",
    )
    expect_close(graph(x), reference(x * 2, 0.5) + 1, what="the result of the traced graph", teach=FORWARD)
