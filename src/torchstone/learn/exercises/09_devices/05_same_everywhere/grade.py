"""Grades same_everywhere: results just inside and just outside the bound, honest products and dishonest ones."""

import math

import torch
from torch import Tensor

from torchstone.learn.grading import Answer, Draw, check, expect, expect_close, pretend_device

PROMISES = {
    "How far may they differ before something is wrong?": None,
    "One tolerance for all is wrong twice:": None,
    "`1e-5` condemns every float16 result, and finds no fault with": None,
    "`exact` and `magnitude` are on the CPU, float64 for floating-point": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

CPU = torch.device("cpu")
FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
WHOLE = (torch.int64, torch.int32, torch.uint8, torch.bool)
INSIDE, OUTSIDE = 0.9, 1.1


def bound(dtype: torch.dtype, terms: int) -> float:
    return 4 * torch.finfo(dtype).eps * math.sqrt(terms)


def expect_verdict(got: object, wanted: bool, story: str, teach: str) -> None:
    expect(isinstance(got, bool), f"the verdict is a {type(got).__name__}, not a bool", teach="Wrap it in bool(…).")
    expect(got is wanted, f"{story}: the verdict should be {wanted} and is {got}", teach=teach)


@check("solved")
def tolerances_are_right(answer: Answer, draw: Draw) -> None:
    for dtype in FLOATS:
        for terms in (0, 1, 4, 100, draw.integer(200, 5000)):
            expect_close(
                answer.tolerance(dtype, terms),
                bound(dtype, terms),
                what=f"the tolerance for {terms} terms of {dtype}",
                rtol=1e-9,
                atol=1e-30,
                teach="It is 4 · torch.finfo(dtype).eps · √terms: other dtypes and other lengths have other errors.",
            )
    for dtype in WHOLE:
        expect_close(
            answer.tolerance(dtype, 9),
            0.0,
            what=f"the tolerance for {dtype}",
            teach="Whole numbers are exact: not even their last digit may differ.",
        )


def near(draw: Draw, dtype: torch.dtype, terms: int, share: float) -> tuple[Tensor, Tensor, Tensor]:
    """A result one of whose elements is `share` of the tolerance away; powers of two, so that nothing else rounds."""
    shape = (draw.integer(1, 3), draw.integer(2, 4))
    got = (2.0 ** torch.randint(-3, 3, shape, generator=draw.generator)).to(dtype)
    magnitude = got.double() * draw.choice([1.0, 4.0, 16.0])
    exact = got.double().clone()
    place = (draw.integer(0, shape[0] - 1), draw.integer(0, shape[1] - 1))
    exact[place] += draw.choice([-1, 1]) * share * bound(dtype, terms) * magnitude[place]
    return got, exact, magnitude


@check("solved")
def the_bound_is_where_it_should_be(answer: Answer, draw: Draw) -> None:
    teach = "The bound is tolerance(dtype of got, terms) times the magnitude of each element, for every element."
    for dtype in FLOATS:
        # float64 itself cannot tell 0.9 from 1.1 times 4 eps.
        for terms in (16, 400) if dtype == torch.float64 else (1, 16, 400):
            for share, wanted in ((INSIDE, True), (OUTSIDE, False)):
                for _ in range(2):
                    got, exact, magnitude = near(draw, dtype, terms, share)
                    story = f"one {dtype} element is {share:g} times the tolerance for {terms} terms away"
                    verdict = answer.agree(got.to(draw.device), exact, terms, magnitude)
                    expect_verdict(verdict, wanted, story, teach)


@check("solved")
def odd_values_are_judged(answer: Answer, draw: Draw) -> None:
    inf, nan = torch.inf, torch.nan
    stories = [
        (nan, nan, 1.0, True, "NaN where NaN is right"),
        (nan, 1.0, 1.0, False, "NaN where 1 is right"),
        (1.0, nan, nan, False, "1 where NaN is right"),
        (inf, inf, inf, True, "infinity where it is right"),
        (-inf, inf, inf, False, "−infinity where infinity is right"),
        (inf, 1.0, 1.0, False, "infinity where 1 is right"),
        (inf, 1.0, inf, False, "infinity where 1 is right, of infinite magnitude"),
        (inf, 1e39, 1e39, True, "infinity where 10³⁹ is right, which float32 does not hold"),
        (-inf, 1e39, 1e39, False, "−infinity where 10³⁹ is right"),
        (0.0, 0.0, 0.0, True, "0 where all terms are 0"),
        (1e-9, 0.0, 0.0, False, "0.000000001 where all terms are 0"),
        (1e-9, 0.0, 1.0, True, "0.000000001 where terms of size 1 cancel to 0"),
        (1e-30, 0.0, 0.0, False, "10⁻³⁰ where all terms are 0"),
        (1 + 2.0**-21, 1.0, 1.0, True, "exactly the tolerance away"),
        (0.1, float(torch.tensor(0.1)), 0.0, True, "0.1 as float32 has it"),
        (0.1, 0.1, 0.0, True, "0.1, rounded to float32"),
    ]
    teach = "Equal after rounding to the dtype of got, or both NaN, or finite and close: one of the three is enough."
    for got, exact, magnitude, wanted, story in stories:
        numbers = [torch.tensor([1.0, value, 2.0], dtype=torch.float64) for value in (got, exact, magnitude)]
        mine = draw.place(numbers[0], torch.float32)
        expect_verdict(answer.agree(mine, numbers[1], 1, numbers[2]), wanted, story, teach)


@check("solved")
def shapes_are_strict(answer: Answer, draw: Draw) -> None:
    teach = "allclose and == broadcast: (1,) seems to equal (3, 1). Compare the shapes first."
    exact = torch.ones(3, 1, dtype=torch.float64)
    for shape in ((1,), (1, 1), (3,), (1, 3), (3, 3), (2, 2)):
        got = draw.place(torch.ones(shape))
        expect_verdict(answer.agree(got, exact, 1, exact), False, f"{list(shape)} where [3, 1] is right", teach)
    expect_verdict(answer.agree(draw.place(torch.ones(3, 1)), exact, 1, exact), True, "equal shapes and values", teach)
    empty, none = torch.ones(0, 2, dtype=torch.float64), "Of no elements every one agrees."
    expect_verdict(answer.agree(draw.place(torch.ones(0, 2)), empty, 1, empty), True, "two empty tensors", none)
    product, a, b = (draw.place(torch.zeros(shape)) for shape in ((2, 3), (2, 0), (0, 3)))
    expect_verdict(answer.matmul_agrees(product, a, b), True, "zeros, which a product of no terms is", none)
    expect_verdict(answer.matmul_agrees(product + 1e-9, a, b), False, "10⁻⁹, the product of no terms", none)


@check("solved")
def whole_numbers_are_exact(answer: Answer, draw: Draw) -> None:
    teach = "Whole numbers have no rounding errors: they are equal or they are wrong."
    for dtype in (torch.int64, torch.int32, torch.uint8):
        exact = torch.randint(3, 100, (4,), generator=draw.generator)
        magnitude = exact * 1000
        expect_verdict(answer.agree(draw.place(exact, dtype), exact, 100, magnitude), True, f"equal {dtype}", teach)
        off = exact.clone()
        off[draw.integer(0, 3)] += 1
        expect_verdict(answer.agree(draw.place(off, dtype), exact, 100, magnitude), False, f"{dtype} off by 1", teach)


@check("solved")
def each_element_has_its_magnitude(answer: Answer, draw: Draw) -> None:
    teach = "A large neighbour excuses nothing: each element is held to the size of its own terms."
    exact = torch.tensor([1e6, 1.0], dtype=torch.float64)
    off = draw.place(torch.tensor([1e6, 1.001], dtype=torch.float64), torch.float32)
    expect_verdict(answer.agree(off, exact, 1, exact), False, "1.001 where 1 is right, beside 1,000,000", teach)


@check("solved")
def the_number_of_terms_is_that_of_the_sum(answer: Answer, draw: Draw) -> None:
    teach = "Each element of a @ b adds up as many products as a has columns, whatever the shape of the result."
    for (n, k, m), share, wanted in (((2, 900, 2), 0.6, True), ((2, 4, 300), 3.0, False), ((300, 4, 2), 3.0, False)):
        a, b = draw.on(CPU).normal(n, k), draw.on(CPU).normal(k, m)
        a[0] *= 1e-3 if wanted is False else 1.0  # a row of small products: the large ones of others excuse nothing
        size = a.double().abs() @ b.double().abs()
        product = (a.double() @ b.double() + share * bound(torch.float32, k) * size).float()
        if wanted is False:  # the other rows are right
            product[1:] = (a.double() @ b.double()).float()[1:]
        story = f"{share:g} times the tolerance away, with {k} terms and {n} × {m} results"
        verdict = answer.matmul_agrees(product.to(draw.device), a.to(draw.device), b.to(draw.device))
        expect_verdict(verdict, wanted, story, teach)


def honest(a: Tensor, b: Tensor, draw: Draw) -> list[tuple[str, Tensor]]:
    wide = torch.promote_types(a.dtype, torch.float32)
    order = torch.randperm(a.shape[1], generator=draw.generator)
    parts = a.to(wide)[:, order, None] * b.to(wide)[None, order]
    chunks = sum(part.sum(1) for part in parts.split(8, dim=1))
    return [
        ("a @ b", (a.to(wide) @ b.to(wide)).to(a.dtype)),
        ("a @ b, added in another order", parts.sum(1).to(a.dtype)),
        ("a @ b, added in parts of 8", chunks.to(a.dtype)),
    ]


def dishonest(a: Tensor, b: Tensor, draw: Draw) -> list[tuple[str, Tensor]]:
    exact = a.double() @ b.double()
    size = a.double().abs() @ b.double().abs()
    n, m = exact.shape
    one_off = exact.clone()
    place = (draw.integer(0, n - 1), draw.integer(0, m - 1))
    one_off[place] += 20 * bound(a.dtype, a.shape[1]) * size[place]
    stories = [
        ("one element of a @ b wrong", one_off.to(a.dtype)),
        ("a @ b turned upside down", exact.flip(0).to(a.dtype)),
        ("−(a @ b)", -exact.to(a.dtype)),
    ]
    if a.dtype == torch.float32:
        coarse = (a.bfloat16().double() @ b.bfloat16().double()).float()
        stories.append(("float32 from inputs that were rounded to bfloat16", coarse))
    return stories


@check("solved")
def products_are_judged(answer: Answer, draw: Draw) -> None:
    alarm = "Measure the error against the sum of |a·b|, with the eps of the dtype and √(number of terms)."
    with pretend_device(rejected_dtypes={"float64"}) as pretend:
        for device in (torch.device("cpu"), pretend):
            for dtype in FLOATS if device.type == "cpu" else (torch.float32, torch.float16, torch.bfloat16):
                for n, k, m in ((2, 1, 2), (3, 33, 2), (2, 700, 3)):
                    a, b = products(draw, n, k, m, dtype)
                    stories = [(*story, True) for story in honest(a, b, draw)]
                    stories += [(*story, False) for story in dishonest(a, b, draw)]
                    for story, product, wanted in stories:
                        verdict = answer.matmul_agrees(product.to(device), a.to(device), b.to(device))
                        expect_verdict(verdict, wanted, f"{story} ({dtype}, {k} terms, on {device.type})", alarm)


def products(draw: Draw, n: int, k: int, m: int, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Two matrices whose products partly cancel, and none of whose results is 0."""
    a = torch.randn(n, k, generator=draw.generator, dtype=torch.float64) / math.sqrt(k)
    b = torch.randn(k, m, generator=draw.generator, dtype=torch.float64)
    a[:, 0] = 50.3 * torch.arange(1, n + 1)
    b[0] = 3.1
    if k > 1:
        a[0, 1], b[1] = -a[0, 0], 3.1
        a[0, 2:] /= 1000
    return a.to(dtype), b.to(dtype)


@check("solved")
def large_terms_have_their_size(answer: Answer, draw: Draw) -> None:
    """Terms that cancel, each (or the sum of their sizes) larger than float16 can hold."""
    teach = "The sum of |a·b| needs a dtype in which it fits: in float16 it is infinite from 65,504 on."
    for factor, k in ((300.0, 2), (200.0, 6)):
        a = torch.full((2, k), factor)
        a[:, 1::2] *= -1
        b = torch.full((k, 2), factor)
        b[0] += 1
        exact = a.double() @ b.double()
        far = 3 * bound(torch.float16, k) * k * factor**2
        for off, wanted in ((0.0, True), (far, False), (-far, False)):
            product, left, right = (one.half().to(draw.device) for one in (exact + off, a, b))
            story = f"{off:+.0f} away from {exact[0, 0]:.0f}, the sum of {k} terms of ±{factor**2:.0f} in float16"
            expect_verdict(answer.matmul_agrees(product, left, right), wanted, story, teach)


@check("solved")
def another_dtype_never_agrees(answer: Answer, draw: Draw) -> None:
    teach = "A result in another dtype is another result, even if its numbers are close."
    a, b = draw.normal(2, 3), draw.normal(3, 2)
    exact = a.cpu().double() @ b.cpu().double()
    for dtype in (torch.float16, torch.bfloat16):
        product = exact.to(dtype).to(draw.device)
        expect_verdict(answer.matmul_agrees(product, a, b), False, f"{dtype} from float32 matrices", teach)


@check("solved")
def large_whole_numbers_are_exact(answer: Answer, draw: Draw) -> None:
    teach = "float64 holds whole numbers up to 2⁵³: compare int64 with int64."
    huge = torch.tensor([2**53 + 1, 7])
    near = huge - torch.tensor([1, 0])
    story = "2⁵³ where 2⁵³ + 1 is right"
    expect_verdict(answer.agree(draw.place(near, torch.int64), huge, 1, huge), False, story, teach)


@check("solved")
def nothing_finite_is_near_infinity(answer: Answer, draw: Draw) -> None:
    teach = "Infinity away is not close, however large the magnitude: both have to be finite."
    for got, exact in ((5.0, math.inf), (5.0, -math.inf), (0.0, math.inf), (3e38, math.inf)):
        numbers = [torch.tensor([1.0, value], dtype=torch.float64) for value in (got, exact, math.inf)]
        mine = draw.place(numbers[0], torch.float32)
        verdict = answer.agree(mine, numbers[1], 4, numbers[2])
        expect_verdict(verdict, False, f"{got:g} where {exact} is right, of infinite magnitude", teach)


@check("solved")
def each_nan_has_its_place(answer: Answer, draw: Draw) -> None:
    teach = "NaN agrees with NaN in the same place, and says nothing of the other elements."
    nan = math.nan
    for got, exact, wanted in (
        ([nan, 1.0], [1.0, nan], False),
        ([nan, 1.0], [nan, 2.0], False),
        ([1.0, nan, nan], [1.0, nan, 2.0], False),
        ([1.0, nan, nan], [1.0, nan, nan], True),
    ):
        right = torch.tensor(exact, dtype=torch.float64)
        verdict = answer.agree(draw.place(torch.tensor(got), torch.float32), right, 1, right)
        expect_verdict(verdict, wanted, f"{got} where {exact} is right", teach)


@check("solved")
def whole_numbers_differ_both_ways(answer: Answer, draw: Draw) -> None:
    teach = "Whole numbers have no rounding errors: they are equal or they are wrong."
    exact = torch.tensor([5, 7, 100])
    for dtype in (torch.int64, torch.int32, torch.uint8):
        for off in (-1, 1):
            mine = exact.clone()
            mine[draw.integer(0, 2)] += off
            verdict = answer.agree(draw.place(mine, dtype), exact, 9, exact * 1000)
            expect_verdict(verdict, False, f"{dtype} off by {off}", teach)


@check("solved")
def products_of_any_size(answer: Answer, draw: Draw) -> None:
    teach = "The magnitude is the sum of |a·b|, large or small, without a bound or an extra."
    for size in (1e12, 1e-12):
        a, b = draw.on(CPU).normal(2, 5) * size, draw.on(CPU).normal(5, 3)
        exact, terms = a.double() @ b.double(), a.double().abs() @ b.double().abs()
        for share, wanted in ((0.5, True), (2.0, False)):
            product = (exact + share * bound(torch.float32, 5) * terms).float()
            verdict = answer.matmul_agrees(*(one.to(draw.device) for one in (product, a, b)))
            expect_verdict(verdict, wanted, f"{share:g} times the tolerance away, for numbers around {size:g}", teach)
    product, a, b = (draw.place(torch.ones(shape)) for shape in ((1, 3), (2, 1), (1, 3)))
    expect_verdict(answer.matmul_agrees(product, a, b), False, "[1, 3] where [2, 3] is right", "Compare the shapes.")
