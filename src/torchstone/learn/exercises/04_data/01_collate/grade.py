"""Grades collate: rows filled in one by one as the reference; empty sequences, real zeros, every dtype."""

import torch
from torch import Tensor

from torchstone.learn.grading import Answer, Draw, check, expect, expect_close, looks_like, raw

PROMISES = {
    "It returns a `Batch` of": "values_are_right",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

CASES = [((1,), 1), ((2, 1), 1), ((1, 3, 2), 2), ((0, 2), 3), ((0,), 2), ((0, 0), 1), ((4, 4), 3), ((2, 5, 0, 1), 4)]
"""Lengths and features."""
DTYPES = (torch.float32, torch.float64, torch.int64, torch.float16, torch.bfloat16)
Sample = tuple[Tensor, int]


def samples(draw: Draw, lengths: tuple[int, ...], features: int) -> list[Sample]:
    made = []
    for length in lengths:
        whole = draw.dtype == torch.int64
        sequence = draw.integers(length, features, low=1, high=9) if whole else draw.normal(length, features)
        if length > 1:
            sequence[draw.integer(0, length - 1)] = 0
        # A label is any whole number: neighbours beyond 2⁵³ are one and the same to a float, and some are negative.
        label = draw.integer(0, 99) if made else draw.choice([-1, 1]) * (2**53 + 1 + 2 * draw.integer(0, 99))
        made.append((sequence, label))
    return made


def reference(samples: list[Sample]) -> tuple[Tensor, Tensor, Tensor]:
    longest = max(len(sequence) for sequence, _ in samples)
    first = samples[0][0]
    values = first.new_zeros(len(samples), longest, first.shape[1])
    mask = torch.zeros(len(samples), longest, dtype=torch.bool)
    for row, (sequence, _) in enumerate(samples):
        for step in range(len(sequence)):
            values[row, step], mask[row, step] = sequence[step], True
    return values, mask, torch.tensor([label for _, label in samples], dtype=torch.int64)


def expect_part(answer: Answer, draw: Draw, part: int, teach: str) -> None:
    name = ("values", "mask", "labels")[part]
    reordered = looks_like(
        lambda made: reference(sorted(made, key=lambda one: -len(one[0])))[part], "Rows keep the order of the samples."
    )
    layouts = ("strided",) if name == "values" else ("contiguous",)
    for made in draw.cases(samples, CASES, dtypes=DTYPES, layouts=layouts):
        on_cpu = [(sequence.cpu().clone(), label) for sequence, label in made]
        batch = answer.collate(made)
        expect(isinstance(batch, tuple) and len(batch) == 3, "collate should return a Batch of three tensors")
        expected = reference(on_cpu)[part]
        diagnose = [reordered]
        expect_close(
            batch[part], expected, what=name, device=draw.device, teach=teach, diagnose=diagnose, args=(on_cpu,)
        )


@check("solved")
def values_are_right(answer: Answer, draw: Draw) -> None:
    teach = "(n, longest of this batch, features): the batch comes first; each sequence from the left, zeros after it."
    expect_part(answer, draw, 0, teach)


@check("solved")
def masks_are_right(answer: Answer, draw: Draw) -> None:
    teach = "The mask is true where a real step stands, 0 to length − 1; even a step of zeros is a real one."
    expect_part(answer, draw, 1, teach)


@check("solved")
def labels_are_right(answer: Answer, draw: Draw) -> None:
    expect_part(answer, draw, 2, "Labels are classes: whole numbers, int64, in the order of the samples.")


def hard_values(dtype: torch.dtype) -> Tensor:
    """Numbers that do not survive a way through another dtype, and those that are no numbers."""
    if dtype in (torch.bool, torch.uint8):
        return torch.tensor([[1, 0], [1, 1], [0, 1]]).to(dtype)
    if not dtype.is_floating_point:
        return torch.tensor([[2**53 + 1, -(2**62) - 1], [2**24 + 1, 7], [-1, 2**31]]).to(dtype)
    third = torch.tensor(1, dtype=torch.float64).div(3)
    tiny = torch.finfo(dtype).tiny
    return torch.tensor(
        [[third, 1 + third * 1e-9], [torch.inf, torch.nan], [-torch.inf, tiny]], dtype=torch.float64
    ).to(dtype)


@check("solved")
def values_are_exactly_theirs(answer: Answer, draw: Draw) -> None:
    teach = "Every value is copied as it is, in its own dtype: large whole numbers, float64, infinity and NaN too."
    for dtype in (*DTYPES, torch.bool, torch.uint8):
        whole = draw.place(hard_values(dtype), dtype)
        batch = answer.collate([(whole[:1], 3), (whole, -1), (whole[1:], 0)])
        expect(isinstance(batch, raw(answer.Batch)), f"collate returned a {type(batch).__name__}", teach="A Batch.")
        expected = torch.zeros(3, 3, 2, dtype=dtype)
        expected[0, :1], expected[1], expected[2, :2] = (
            hard_values(dtype)[:1],
            hard_values(dtype),
            hard_values(dtype)[1:],
        )
        got = batch.values.cpu()
        right = got.dtype == dtype and got.shape == expected.shape
        expect(right, f"values are {got.dtype}, {list(got.shape)}, and should be {dtype}, [3, 3, 2]", teach=teach)
        same = (got == expected) | (got != got) & (expected != expected)
        expect(bool(same.all()), f"{dtype} values came out as {got.tolist()}, not {expected.tolist()}", teach=teach)


@check("solved")
def batches_know_nothing_of_each_other(answer: Answer, draw: Draw) -> None:
    teach = "What a call returns is its own: no memory of an earlier batch may show in it, nor change with a later one."
    made, kept = [], []
    for lengths in ((5, 4, 5), (2, 0, 1), (3,), (5, 1, 2)):
        made.append(samples(draw, lengths, 2))
        kept.append(answer.collate(made[-1]))
    for given, batch in zip(made, kept, strict=True):
        expected = reference([(sequence.cpu(), label) for sequence, label in given])
        for name, part, right in zip(("values", "mask", "labels"), batch, expected, strict=True):
            expect_close(part, right, what=f"{name} after other batches", teach=teach)


@check("solved")
def many_sequences_are_one_batch(answer: Answer, draw: Draw) -> None:
    lengths = [draw.integer(0, 3) for _ in range(300)] + [140]
    made = [(draw.normal(length, 2), number * 2**33) for number, length in enumerate(lengths)]
    values, mask, labels = answer.collate(made)
    teach = "However many sequences there are, and however long they are."
    expect(list(values.shape) == [301, 140, 2], f"301 sequences gave values of {list(values.shape)}", teach=teach)
    expect(mask.sum(1).tolist() == lengths, "301 sequences gave another mask", teach=teach)
    expect(labels.tolist() == [label for _, label in made], "301 sequences gave other labels", teach=teach)
    rows = torch.cat([sequence for sequence, _ in made])
    expect_close(values[mask], rows.cpu(), what="the real steps of 301 sequences", teach=teach)
    expect(not bool(values[~mask].any()), "301 sequences: there is something in the padding", teach=teach)
