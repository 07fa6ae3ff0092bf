"""Grades no_leak_split: properties of many splits, and statistics that must not move with the test rows."""

import math
from itertools import chain
from typing import Any

import torch
from torch import Tensor

from torchstone.learn.grading import Answer, Draw, check, expect, expect_close, expect_same, looks_like

PROMISES = {
    "And a mean over *all* rows carries the test rows into training too.": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

SIGMAS = 6.0
SIZES = [(2, 2), (4, 2), (6, 3), (20, 5), (40, 11)]
"""Rows and groups."""


def grouped(draw: Draw, rows: int, groups: int) -> tuple[Tensor, float]:
    """Group numbers far apart, some of them negative, each at least once, in any order."""
    # Also where neighbours are one and the same to a float: a group number is any int64.
    lowest = draw.choice([0, 2**53, 2**62, -(2**62)])
    names = torch.tensor(draw.random.sample(range(-50, 1000) if lowest == 0 else range(50), groups)) + lowest
    extra = torch.tensor([draw.integer(0, groups - 1) for _ in range(rows - groups)], dtype=torch.int64)
    members = torch.cat([torch.arange(groups), extra])[draw.permutation(rows).cpu()]
    return draw.place(names[members], torch.int64), draw.choice([0.01, 0.2, 0.35, 0.5, 0.8, 0.99])


def extreme(draw: Draw, share: float) -> tuple[Tensor, float]:
    """Shares that round to no group, or to all of them."""
    return grouped(draw, 6, 3)[0], share


def halves(draw: Draw, groups: int) -> tuple[Tensor, float]:
    """A half of an odd number: Python rounds it to the even neighbour."""
    return grouped(draw, 12, groups)[0], 0.5


def uneven(draw: Draw) -> tuple[Tensor, float]:
    """Four groups, one of which has nearly all rows: half of the groups is not half of the rows."""
    return draw.place(torch.tensor([4] * 37 + [1, 9, 6]), torch.int64), 0.5


def seeded(draw: Draw) -> torch.Generator:
    return torch.Generator().manual_seed(draw.integer(0, 2**31))


def split_of(answer: Answer, groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    result: Any = answer.split(groups, share, generator)
    teach = "Two tensors of row numbers, int64, ascending: first those for training, then those for testing."
    expect(isinstance(result, tuple) and len(result) == 2, "split should return (train, test)", teach=teach)
    for name, side in zip(("train", "test"), result, strict=True):
        expect(torch.is_tensor(side) and side.dtype == torch.int64, f"{name} should be an int64 tensor", teach=teach)
        expect(side.dim() == 1, f"{name} has the shape {list(side.shape)}, and should have one axis", teach=teach)
        expect(bool((side.diff() > 0).all()), f"{name} is not ascending: {side.tolist()}", teach=teach)
    return result


@check("solved")
def no_group_on_both_sides(answer: Answer, draw: Draw) -> None:
    huge = draw.place(torch.tensor([2**62, 2**62 + 3, 2**62, 2**62 + 3]), torch.int64), 0.5
    for groups, share in (huge, *draw.cases(grouped, SIZES)):
        train, test = split_of(answer, groups, share, seeded(draw))
        both = set(groups[train].tolist()) & set(groups[test].tolist())
        teach = "All rows of a group go to one side: draw groups and not rows."
        expect(not both, f"the groups {sorted(both)} are on both sides", teach=teach)
        rows = sorted(train.tolist() + test.tolist())
        lost = "Every row is on one of the two sides; group numbers may be any numbers."
        expect(rows == list(range(len(groups))), f"of {len(groups)} rows these are left: {rows}", teach=lost)


@check("solved")
def sizes_are_right(answer: Answer, draw: Draw) -> None:
    cases = (
        draw.cases(grouped, SIZES),
        draw.cases(extreme, [(0.01,), (0.99,)]),
        draw.cases(halves, [(5,), (7,), (9,)]),
        draw.cases(uneven, [()], repeats=10),
    )
    for groups, share in chain(*cases):
        _, test = split_of(answer, groups, share, seeded(draw))
        names = len(set(groups.tolist()))
        wanted, got = min(max(round(share * names), 1), names - 1), len(set(groups[test].tolist()))
        teach = "round(share · number of groups), but at least one, and at least one is left for training."
        expect(
            got == wanted, f"{got} of {names} groups are for testing; with share {share} it is {wanted}", teach=teach
        )


@check("solved")
def repeatable(answer: Answer, draw: Draw) -> None:
    groups, _ = grouped(draw, 60, 30)
    seed = draw.integer(0, 2**31)
    splits = [split_of(answer, groups, 0.5, torch.Generator().manual_seed(seed + step))[1] for step in (0, 0, 1)]
    teach = "The draw must come from the generator alone: the same state gives the same split, another state another."
    expect(splits[0].tolist() == splits[1].tolist(), "two generators with one seed gave two splits", teach=teach)
    expect(splits[0].tolist() != splits[2].tolist(), "two seeds gave the same split of 30 groups", teach=teach)


@check("solved")
def every_group_has_its_chance(answer: Answer, draw: Draw) -> None:
    # One group has most of the rows, and still one chance in four.
    groups, generator, tries = draw.place(torch.tensor([7] * 9 + [3, 5, 8]), torch.int64), seeded(draw), 200
    times = dict.fromkeys((7, 3, 5, 8), 0)
    for _ in range(tries):
        _, test = answer.split(groups, 0.25, generator)
        for name in set(groups[test].tolist()):
            times[name] += 1
    near = SIGMAS * math.sqrt(tries * 0.25 * 0.75)
    for name, count in times.items():
        message = f"in {tries} splits of 4 groups, 1 for testing, group {name} was chosen {count} times"
        teach = "The groups are drawn, each with the same chance, however many rows it has: about one in four here."
        expect(abs(count - tries / 4) <= near, message, teach=teach)


def standardized(features: Tensor, train: Tensor) -> Tensor:
    exact = features.double()
    mean = exact[train].sum(0) / len(train)
    variance = (exact[train] - mean).square().sum(0) / len(train)
    constant = (exact[train] == exact[train][0]).all(0)
    return ((exact - mean) / variance.sqrt().masked_fill(constant, 1)).to(features.dtype)


def table(draw: Draw, rows: int, columns: int) -> tuple[Tensor, Tensor]:
    """Test rows that lie far away: a statistic that has seen them is far off."""
    train = draw.permutation(rows)[: max(3, rows // 2)].sort().values
    features = draw.normal(rows, columns, scale=2.0) + 20
    features[train] -= 19
    return features, train


@check("solved")
def statistics_come_from_training(answer: Answer, draw: Draw) -> None:
    unbiased = looks_like(
        lambda features, train: (features - features[train].mean(0)) / features[train].std(0),
        "That deviation is the unbiased one, over n − 1; the task asks for the mean of squares, over n.",
    )
    teach = "These statistics have seen test rows, or not all train rows: features[train] alone, for every row."
    for case in draw.cases(
        table, [(4, 1), (6, 2), (9, 4)], dtypes=(torch.float32, torch.float64), layouts=("contiguous", "strided")
    ):
        expect_same(answer.standardize, standardized, *case, diagnose=[unbiased], teach=teach, rtol=1e-3, atol=1e-3)


@check("solved")
def constant_columns_are_centered(answer: Answer, draw: Draw) -> None:
    for features, train in draw.cases(table, [(4, 2), (8, 3)]):
        features[train, 0] = draw.choice([0.0, 3.0, -0.5])
        teach = "A column that is constant in training has the deviation 0: it is only centered, divided by 1."
        expect_same(answer.standardize, standardized, features, train, teach=teach, rtol=1e-3, atol=1e-3)


@check("solved")
def rounding_is_no_deviation(answer: Answer, draw: Draw) -> None:
    for features, train in draw.cases(table, [(14, 2), (22, 3)], dtypes=(torch.float32, torch.float64)):
        features[train, 0] = draw.choice([0.1, -7.3, 1 / 3])
        teach = (
            "A column of 0.1 is constant, though its mean is rounded and the deviation comes out as a speck instead of "
            "0: compare the values themselves, or allow for the rounding."
        )
        expect_same(answer.standardize, standardized, features, train, teach=teach, rtol=1e-3, atol=1e-3)


@check("solved")
def small_columns_are_no_constants(answer: Answer, draw: Draw) -> None:
    for scale in (1e-5, 1e-9, 1e-14):
        features, train = table(draw, 8, 2)
        features[:, 0] = draw.normal(len(features), scale=scale)
        teach = "A small deviation is one all the same: only a column whose train rows are all alike is left undivided."
        expect_same(answer.standardize, standardized, features, train, teach=teach, rtol=1e-3, atol=1e-3)


@check("solved")
def every_choice_has_its_chance(answer: Answer, draw: Draw) -> None:
    """Two of four groups: each of the six pairs, and not only neighbours."""
    groups, generator, tries = draw.place(torch.tensor([4, 1, 9, 1, 6]), torch.int64), seeded(draw), 240
    times: dict[tuple[int, ...], int] = {}
    for _ in range(tries):
        _, test = answer.split(groups, 0.5, generator)
        pair = tuple(sorted(set(groups[test].tolist())))
        times[pair] = times.get(pair, 0) + 1
    near = SIGMAS * math.sqrt(tries * (1 / 6) * (5 / 6))
    teach = "Each choice of so many groups has the same chance: neighbours are not drawn together."
    for pair in ((1, 4), (1, 6), (1, 9), (4, 6), (4, 9), (6, 9)):
        count = times.get(pair, 0)
        message = f"in {tries} splits of 4 groups, 2 for testing, the groups {pair} were chosen {count} times"
        expect(count > 0 and abs(count - tries / 6) <= near, message, teach=teach)


@check("solved")
def test_rows_reach_nothing(answer: Answer, draw: Draw) -> None:
    """Infinity and NaN in a test row: the other rows are as if it were not there."""
    teach = "A test row has no part in the statistics, not even times 0: take features[train], and no mask of zeros."
    for bad in (torch.nan, torch.inf, 1e30):
        features, train = table(draw, 8, 2)
        test = next(row for row in range(8) if row not in train.tolist())
        features[test, 0] = bad
        got = answer.standardize(features, train).cpu()
        expected = standardized(features.cpu(), train.cpu())
        rows = [row for row in range(8) if row != test]
        what = f"the other rows, where a test row holds {bad:g}"
        expect_close(got[rows], expected[rows], what=what, teach=teach, rtol=1e-3, atol=1e-3)
        outlier = f"a test row that holds {bad:g} came out as {got[test, 0]:g}"
        same = got[test, 0] == expected[test, 0] or bool(got[test, 0].isnan() and expected[test, 0].isnan())
        near = abs(float(got[test, 0] / expected[test, 0]) - 1) < 1e-3
        expect(bool(same or near), outlier, teach="Every row is centered and scaled; nothing is held within bounds.")


@check("solved")
def few_rows_and_far_columns(answer: Answer, draw: Draw) -> None:
    features, _ = table(draw, 5, 3)
    one = draw.place(torch.tensor([2]), torch.int64)
    alone = "A single train row is constant in every column: it is only centered."
    expect_same(answer.standardize, standardized, features, one, teach=alone, rtol=1e-3, atol=1e-3)
    on_cpu = draw.on(torch.device("cpu"))
    far, train = on_cpu.normal(40, 2) + 1e4, torch.arange(0, 40, 2)
    teach = "Take the mean away first, and then square: two large squares cancel, and leave nothing of the spread."
    got, expected = answer.standardize(far, train), standardized(far, train)
    expect_close(got, expected, what="columns around 10,000", teach=teach, rtol=1e-2, atol=1e-2)
    exact = on_cpu.normal(40, 2).double() * 3 + 1
    double = "In float64 the statistics are computed in float64."
    got, expected = answer.standardize(exact, train), standardized(exact, train)
    expect_close(got, expected, what="columns in float64", teach=double, rtol=1e-10, atol=1e-11)


@check("solved")
def indices_are_where_the_groups_are(answer: Answer, draw: Draw) -> None:
    """As far as they can be used there: groups that are every second number of a tensor, too."""
    both = draw.place(torch.tensor([[3, 8], [3, 9], [5, 8], [2**60, 7], [5, 1]]), torch.int64)
    for groups in (both[:, 0], both.T[1], both.T.flatten()[::3]):
        train, test = split_of(answer, groups, 0.4, seeded(draw))
        sides = set(groups[train].tolist()) & set(groups[test].tolist())
        rows = sorted(train.tolist() + test.tolist())
        words = f"groups {groups.tolist()} were split into {train.tolist()} and {test.tolist()}"
        expect(not sides and rows == list(range(len(groups))), words, teach="Groups need not lie side by side.")
