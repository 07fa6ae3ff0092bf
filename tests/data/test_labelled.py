"""The split: exact in total, alike in each stratum, nothing twice, nothing lost."""

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.data.labelled import LabelledImages, require_parts, stratified_split
from torchstone.errors import UserError


@given(sizes=st.lists(st.integers(1, 60), min_size=1, max_size=8), seed=st.integers(0, 5))
def test_every_position_is_on_one_side(sizes: list[int], seed: int) -> None:
    strata = numpy.repeat(numpy.arange(len(sizes)), sizes)
    split = stratified_split(strata, seed)
    assert sorted([*split.train.tolist(), *split.test.tolist()]) == list(range(sum(sizes)))
    for value, size in enumerate(sizes):
        trained = int((strata[split.train] == value).sum())
        assert abs(trained - 0.75 * size) <= 1
        assert size < 2 or 1 <= trained < size


@given(sizes=st.lists(st.integers(8, 60), min_size=1, max_size=8))
def test_the_total_is_exact(sizes: list[int]) -> None:
    strata = numpy.repeat(numpy.arange(len(sizes)), sizes)
    assert len(stratified_split(strata, 0).train) == round(0.75 * sum(sizes))


def test_the_seed_decides() -> None:
    strata = numpy.repeat(numpy.arange(2), 40)
    first, again, other = (stratified_split(strata, seed).test.tolist() for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize(("labels", "share"), [([0, 0, 0, 1], 0.75), ([1, 1], 1.0)])
def test_majority_share(labels: list[int], share: float) -> None:
    numbers = numpy.array(labels)
    images = numpy.zeros((len(labels), 2, 2, 1), dtype=numpy.uint8)
    data = LabelledImages(images=images, labels=numbers, classes=("a", "b"), strata=numbers, source="made")
    assert data.majority_share == share
    assert len(data) == len(labels)


def test_photographs_that_cannot_be_split_are_refused() -> None:
    some, none = numpy.array([0, 1]), numpy.array([], dtype=numpy.int64)
    require_parts((some, some, some), "mine")
    with pytest.raises(UserError, match="the 4 photographs of mine are too few") as caught:
        require_parts((some, none, some), "mine")
    assert "more of each class" in caught.value.hint
