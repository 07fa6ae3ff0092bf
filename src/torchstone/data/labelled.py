"""Labelled photographs in memory, and their split into those to learn from and those to be judged by.

Decoded once into one uint8 array: decoding anew in each epoch would measure the decoder, and float32 would take four
times the memory.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy
from numpy.typing import NDArray

from torchstone.errors import UserError

TRAIN_SHARE = 0.75


@dataclass(frozen=True)
class LabelledImages:
    """Photographs of one size with the number of the class of each."""

    images: NDArray[numpy.uint8]
    """(N, height, width, channels); one channel where all are grey, else three, red first."""
    labels: NDArray[numpy.int64]
    classes: tuple[str, ...]
    strata: NDArray[numpy.int64]
    """What the split keeps the proportions of: at least the class."""
    source: str
    """Where they come from and under which licence."""
    skipped: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Reason → the files that were left out for it."""
    most: int | None = None
    """What it was loaded for, where it is a part already: choosing once more would choose others."""

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def majority_share(self) -> float:
        """The accuracy of always naming the most frequent class: what any model must beat."""
        return float(numpy.bincount(self.labels).max() / len(self.labels))


@dataclass(frozen=True)
class Split:
    """Positions in a `LabelledImages`, each in order."""

    train: NDArray[numpy.int64]
    test: NDArray[numpy.int64]


def split_images(data: LabelledImages, seed: int, train_share: float = TRAIN_SHARE) -> Split:
    """A random split that keeps the proportions of the strata; the same seed gives the same split."""
    return stratified_split(data.strata, seed, train_share)


def stratified_split(strata: NDArray[numpy.int64], seed: int, train_share: float = TRAIN_SHARE) -> Split:
    """Each stratum is divided alike, and the whole exactly: round(N × train_share) are to train on.

    A stratum of two or more gives at least one to either side.
    """
    random = numpy.random.default_rng(seed)
    values, sizes = numpy.unique(strata, return_counts=True)
    train: list[NDArray[numpy.int64]] = []
    for value, count in zip(values, _train_counts(sizes, train_share), strict=True):
        members = random.permutation(numpy.flatnonzero(strata == value))
        train.append(members[:count])
    chosen = numpy.sort(numpy.concatenate(train))
    rest = numpy.setdiff1d(numpy.arange(len(strata)), chosen, assume_unique=True)
    return Split(train=chosen.astype(numpy.int64), test=rest.astype(numpy.int64))


def require_parts(parts: Sequence[NDArray[numpy.int64]], source: str) -> None:
    """Those to learn from, to choose by and to be judged by must be some: else an accuracy would be of nothing."""
    if all(len(part) for part in parts):
        return
    counted = f"{sum(map(len, parts))} photographs of {source}"
    raise UserError(
        f"the {counted} are too few for a part to learn from, one to choose the best epoch by and one to be judged by",
        "give more of each class; where a small budget takes a part of them, more --budget",
    )


def _train_counts(sizes: NDArray[numpy.int64], train_share: float) -> list[int]:
    """By largest remainder, so that rounding each stratum does not move the total."""
    exact = sizes * train_share
    counts = numpy.floor(exact).astype(int)
    missing = round(float(sizes.sum() * train_share)) - int(counts.sum())
    by_remainder = numpy.argsort(counts - exact, kind="stable")
    counts[by_remainder[:missing]] += 1
    lowest = numpy.minimum(1, sizes)
    highest = numpy.maximum(sizes - 1, lowest)
    return [int(count) for count in numpy.clip(counts, lowest, highest)]
