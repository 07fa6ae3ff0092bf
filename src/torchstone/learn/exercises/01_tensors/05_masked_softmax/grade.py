"""Grades masked_softmax: a float64 reference over the chosen elements alone, and one check for each trap."""

import torch
from torch import Tensor

from torchstone.learn.grading import Answer, Draw, check, expect, expect_same, looks_like, unheard, when

PROMISES = {
    "Where it is false the result is exactly 0.": "ordinary_rows_are_right",
    "`mask` is of booleans, broadcasts against `logits`": "mask_broadcasts",
    "Gradients are not asked for.": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

FORBIDDEN = dict.fromkeys(
    (
        *("softmax", "safe_softmax", "log_softmax", "softmin", "sparse_softmax"),
        *("logsumexp", "scaled_dot_product_attention"),
    ),
    "That function is the one you are writing: build it from exp, a maximum and a sum.",
)
SIZES = [(1, 1), (1, 2), (2, 3), (3, 4, 7)]
DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
LONG_ROW = 70_000
"""More ones than float16 can count: it ends at 65,504."""
LAST_BITS, SMALLEST = 3.5, 2e-7
"""In eps: half of one for what is computed in float32, three where exp is taken in half precision and added up in
float32; a rounded logarithm of the sum costs five. And three of float16's smallest steps."""


@unheard()
def reference(logits: Tensor, mask: Tensor) -> Tensor:
    # In float64 the plain way is safe; only a row without a true element gives NaN, which becomes 0.
    return logits.double().masked_fill(~mask, -torch.inf).softmax(-1).nan_to_num(0).to(logits.dtype)


def unmasked(logits: Tensor, mask: Tensor) -> Tensor:
    return logits.double().softmax(-1).to(logits.dtype)


def masked_afterwards(logits: Tensor, mask: Tensor) -> Tensor:
    return (logits.double().softmax(-1) * mask).to(logits.dtype)


def ordinary(draw: Draw, *shape: int) -> tuple[Tensor, Tensor]:
    mask = draw.mask(*shape, share=0.7)
    mask[..., 0] = True
    return draw.normal(*shape, scale=2.0), mask


def huge(draw: Draw, *shape: int) -> tuple[Tensor, Tensor]:
    logits, mask = ordinary(draw, *shape)
    # Each row has its own place, far from the others: the maximum of all rows would empty most of them.
    places = [draw.choice([60_000.0, -60_000.0, 10_000.0, 0.0]) for _ in range(shape[0])]
    return logits + draw.place(torch.tensor(places).reshape(-1, *[1] * (len(shape) - 1))), mask


def with_empty_row(draw: Draw, rows: int, columns: int) -> tuple[Tensor, Tensor]:
    logits, mask = ordinary(draw, rows, columns)
    mask[draw.integer(0, rows - 1)] = False
    return logits, mask


def poisoned(draw: Draw, rows: int, columns: int, poison: float) -> tuple[Tensor, Tensor]:
    logits, mask = ordinary(draw, rows, columns)
    mask[:, -1] = False
    return logits.masked_fill(~mask, poison), mask


@check("solved")
def ordinary_rows_are_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(unmasked, "The mask has no effect: masked elements must not take part in the sum."),
        looks_like(
            masked_afterwards,
            "Masked after the softmax: the masked elements are still in the sum, so a row no longer adds up to 1.",
        ),
        when(
            lambda got, expected: bool(((got > 0) & (expected == 0)).any()),
            "A masked element is not exactly 0: exp of a number like −5 is small, exp(−inf) is nothing.",
        ),
    ]
    for case in draw.cases(ordinary, SIZES, dtypes=DTYPES, repeats=2):
        digits = {"rtol": 1e-12, "atol": 1e-13} if case[0].dtype == torch.float64 else {}
        expect_same(answer.masked_softmax, reference, *case, diagnose=known, **digits)
    for case in draw.cases(ordinary, SIZES[-2:], layouts=("strided", "transposed")):
        expect_same(answer.masked_softmax, reference, *case, diagnose=known)


@check("solved")
def mask_broadcasts(answer: Answer, draw: Draw) -> None:
    teach = "A mask of (columns,) or (rows, 1) counts for all that it is stretched over."
    for logits, mask in draw.cases(ordinary, [(2, 3), (4, 5)]):
        expect_same(answer.masked_softmax, reference, logits, mask[0], teach=teach)
        expect_same(answer.masked_softmax, reference, logits[None], mask[:, :1], teach=teach)


@check("solved")
def huge_logits_are_right(answer: Answer, draw: Draw) -> None:
    teach = "exp overflows above 88 (above 11 in half precision): take the row's largest logit away first."
    for case in draw.cases(huge, [(1, 2), (3, 5), (6, 4)], dtypes=DTYPES, repeats=3):
        expect_same(answer.masked_softmax, reference, *case, teach=teach)


@check("solved")
def empty_rows_are_zero(answer: Answer, draw: Draw) -> None:
    teach = "In a row without a true element the sum is 0 and 0/0 is NaN: such a row is zeros."
    for case in draw.cases(with_empty_row, [(1, 1), (3, 4)], dtypes=DTYPES, repeats=1):
        expect_same(answer.masked_softmax, reference, *case, teach=teach)


@check("solved")
def masked_places_do_not_matter(answer: Answer, draw: Draw) -> None:
    teach = "What stands at a masked place must not even take part in the maximum; NaN times 0 is still NaN."
    sizes = [(1, 2, 1e4), (2, 3, torch.inf), (2, 3, -torch.inf), (2, 4, torch.nan)]
    for case in draw.cases(poisoned, sizes, dtypes=DTYPES, repeats=1):
        expect_same(answer.masked_softmax, reference, *case, teach=teach)


@check("solved")
def long_rows_in_half_precision(answer: Answer, draw: Draw) -> None:
    teach = "The sum of a long row passes 65,504, where float16 ends: compute in float32 and come back at the end."
    for dtype in (torch.float16, torch.bfloat16):
        draw.dtype = dtype
        # Logits of many sizes, where a rounded logarithm of the sum shows; and of one, where the sum overflows.
        for length, scale in ((5_000, 1.0), (LONG_ROW, 0.01)):
            logits, mask = draw.normal(1, length, scale=scale), draw.mask(1, length, share=0.99)
            rtol = LAST_BITS * torch.finfo(dtype).eps
            expect_same(answer.masked_softmax, reference, logits, mask, teach=teach, rtol=rtol, atol=SMALLEST)


@check("solved")
def far_logits_are_right(answer: Answer, draw: Draw) -> None:
    """As far out as the dtype goes, and elements so small that only their ratio tells them from 0."""
    for dtype, end, rtol in ((torch.float32, 1e35, 1e-4), (torch.float64, 1e300, 1e-11)):
        if draw.device.type != "cpu" and dtype == torch.float64:
            continue
        mask = draw.place(torch.tensor([True, True, True, False]), torch.bool)
        far = draw.place(torch.tensor([[-end, -end, -2 * end, 0.0], [end, end, -end, 0.0]], dtype=torch.float64), dtype)
        teach = "Every finite logit is a logit: only a row without a true element is empty."
        expect_same(answer.masked_softmax, reference, far, mask, teach=teach)
        spread = draw.place(torch.tensor([[0.0, -20.0, -60.0, 5.0], [0.3, 0.1, -0.7, 9.0]]), dtype)
        teach = "Nothing is added to the sum, cut off or held: a small share is small, and not 0."
        expect_same(answer.masked_softmax, reference, spread, mask, teach=teach, rtol=rtol, atol=0)
    teach = "The lowest and the highest number of a dtype are logits, too: no masked place has a share beside them."
    mask = draw.place(torch.tensor([[1, 1, 0], [0, 1, 0], [1, 1, 0], [1, 1, 0], [0, 0, 0]]), torch.bool)
    for dtype in DTYPES:
        if draw.device.type != "cpu" and dtype == torch.float64:
            continue
        low, high = torch.finfo(dtype).min, torch.finfo(dtype).max
        rows = [[low, low, 0.0], [high, low, low], [high, low, high], [high, high, low], [low, low, low]]
        ends = draw.place(torch.tensor(rows, dtype=torch.float64), dtype)
        expect_same(answer.masked_softmax, reference, ends, mask, teach=teach)


@check("solved")
def masked_places_are_exactly_zero(answer: Answer, draw: Draw) -> None:
    """Also in rows without a true element, whatever stands there, in every dtype."""
    for dtype in DTYPES:
        for logits, mask in draw.cases(ordinary, [(6, 5)], dtypes=(dtype,), repeats=1):
            mask[1], mask[4] = False, False
            for row, poison in enumerate((0.0, torch.nan, 6e4, -6e4, torch.inf, -torch.inf)):
                logits[row] = logits[row].masked_fill(~mask[row], poison)
            teach = "A masked place is 0, not nearly: in rows without a true element too, over whatever stands there."
            got = expect_same(answer.masked_softmax, reference, logits, mask, teach=teach)
            expect(bool((got[~mask] == 0).all()), "a masked place is not exactly 0", teach=teach)


@check("solved")
def every_shape_of_mask(answer: Answer, draw: Draw) -> None:
    """From a single boolean to one for each element, and logits with a single axis."""
    teach = "The mask counts from the right, and an axis that it lacks, or of length 1, is stretched."
    logits, mask = ordinary(draw, 3, 4, 5)
    for smaller in (mask[0], mask[0, 0], mask[:, :1], mask[:1, :, :1], mask[0, :, :1], mask.expand(3, 4, 5)):
        expect_same(answer.masked_softmax, reference, logits, smaller, teach=teach)
    causal = draw.place(torch.ones(3, 3).tril(), torch.bool)
    for axes in (2, 3, 4):  # all of one length, so that no wrong order of them raises an error
        alike = draw.normal(*[3] * axes)
        for smaller in (causal, causal[1], causal[:, 1:2], causal[:, None])[: axes + 1]:
            expect_same(answer.masked_softmax, reference, alike, smaller, teach=teach)
    for single in (True, False):
        one = draw.place(torch.tensor(single), torch.bool)
        expect_same(answer.masked_softmax, reference, logits, one, teach=teach)
        expect_same(answer.masked_softmax, reference, logits[0, 0], one, teach=teach)
    expect_same(answer.masked_softmax, reference, logits[0, 0], mask[0, 0], teach=teach)
    expect_same(answer.masked_softmax, reference, logits.transpose(0, 2), mask.transpose(0, 2), teach=teach)
