"""Sizes that a device refuses, as its kernel says it."""

import pytest
import torch

from torchstone.checking.limits import MIXED_POOL, UNEVEN_POOL, broken_limit


@pytest.mark.parametrize(
    ("shape", "output", "says"),
    [
        ((8, 12), (4, 6), None),
        ((8, 12), (1, 1), None),
        ((2, 3), (4, 6), None),
        ((7, 7), (3, 7), UNEVEN_POOL),
        ((8, 2), (4, 4), MIXED_POOL),
        ((4, 4), (6, 6), UNEVEN_POOL),
    ],
)
def test_an_uneven_pool(shape: tuple[int, int], output: tuple[int, int], says: str | None) -> None:
    args = (torch.empty(1, 1, *shape, device="meta"), output)
    assert broken_limit("mps", "aten::_adaptive_avg_pool2d", args) == says
    assert broken_limit("cuda", "aten::_adaptive_avg_pool2d", args) is None


@pytest.mark.parametrize(
    ("shape", "output", "says"), [((7, 7), (3, 7), None), ((4, 4), (6, 6), None), ((8, 2), (4, 4), MIXED_POOL)]
)
def test_a_max_pool_takes_uneven_sizes(shape: tuple[int, int], output: tuple[int, int], says: str | None) -> None:
    args = (torch.empty(1, 1, *shape, device="meta"), output)
    assert broken_limit("mps", "aten::adaptive_max_pool2d", args) == says


def test_other_operators_have_none() -> None:
    assert broken_limit("mps", "aten::relu", (torch.empty(3, device="meta"),)) is None
