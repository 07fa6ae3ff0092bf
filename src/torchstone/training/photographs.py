"""The photographs in memory, the order of each epoch, and the flips and quarter turns that multiply them.

They are decoded and resized once and kept as bytes; a batch is gathered and turned as bytes, a quarter of what
float32 would move, and becomes floating-point numbers on the device. Order and turns of an epoch follow from the seed
and the epoch's number alone, so a resumed run sees what an uninterrupted one would have seen.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

import numpy
import torch
from torch import Tensor
from torch.nn import functional

from torchstone.data.elpv import load_elpv, read_strata
from torchstone.data.folder import load_folder
from torchstone.data.labelled import LabelledImages, require_parts, split_images, stratified_split
from torchstone.data.seeding import generator
from torchstone.training.recipe import Augmentation, Recipe

RESIZED_AT_ONCE = 256
VALIDATION_SHARE = 0.1
"""Of those that are not tested on."""
EPOCH_STRIDE = 100_003
"""A prime: the seeds of one run's epochs are not those of the next seed's."""
POSITIONS: dict[Augmentation, tuple[int, ...]] = {"turns": tuple(range(8)), "mirror": (0, 4), "none": (0,)}
"""Which of the eight positions of a square an image may take: four turns, and the same mirrored."""


@dataclass(frozen=True)
class Photographs:
    """Bytes on the host, (N, channels, side, side), and the number of the class of each."""

    train_images: Tensor
    train_labels: Tensor
    validation_images: Tensor
    """What the training is watched and its best epoch chosen by."""
    validation_labels: Tensor
    test_images: Tensor
    """What nothing is chosen by."""
    test_labels: Tensor
    classes: tuple[str, ...]
    source: str
    majority_share: float
    """The accuracy of always naming the most frequent class of those tested on."""
    skipped: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.train_labels) + len(self.validation_labels) + len(self.test_labels)


def load_data(recipe: Recipe) -> LabelledImages:
    """The ELPV photographs, as many as the recipe wants, or all those of a folder at the side wanted."""
    if recipe.data is None:
        rows = rows_wanted(read_strata(), recipe.most_images, recipe.seed)
        return dataclasses.replace(load_elpv(rows), most=None if rows is None else recipe.most_images)
    return load_folder(recipe.data, side=recipe.side, seed=recipe.seed)


def prepare_photographs(recipe: Recipe, data: LabelledImages) -> Photographs:
    """As many as the recipe wants, split and resized."""
    chosen = choose_some(data, recipe.most_images, recipe.seed)
    split = split_images(chosen, recipe.seed)
    learning = stratified_split(chosen.strata[split.train], recipe.seed, 1 - VALIDATION_SHARE)
    parts = (split.train[learning.train], split.train[learning.test], split.test)
    require_parts(parts, chosen.source)
    train, validation, test = (resize(chosen.images[rows], recipe.side) for rows in parts)
    train_labels, validation_labels, test_labels = (chosen.labels[rows] for rows in parts)
    return Photographs(
        train_images=train,
        train_labels=torch.from_numpy(train_labels),
        validation_images=validation,
        validation_labels=torch.from_numpy(validation_labels),
        test_images=test,
        test_labels=torch.from_numpy(test_labels),
        classes=chosen.classes,
        source=chosen.source,
        majority_share=float(numpy.bincount(test_labels).max() / len(test_labels)),
        skipped=chosen.skipped,
    )


def choose_some(data: LabelledImages, most: int | None, seed: int) -> LabelledImages:
    """A part that keeps the proportions of the strata."""
    wanted = rows_wanted(data.strata, most, seed)
    if wanted is None or data.most == most:
        return data
    rows = list(wanted)
    return dataclasses.replace(data, images=data.images[rows], labels=data.labels[rows], strata=data.strata[rows])


def rows_wanted(strata: "numpy.typing.NDArray[numpy.int64]", most: int | None, seed: int) -> tuple[int, ...] | None:
    """Which rows make that part; None for all."""
    if most is None or most >= len(strata):
        return None
    return tuple(stratified_split(strata, seed, most / len(strata)).train.tolist())


def resize(images: "numpy.typing.NDArray[numpy.uint8]", side: int) -> Tensor:
    """(N, H, W, C) to (N, C, side, side), smoothed where it shrinks."""
    parts = [
        _resize_part(torch.tensor(images[start : start + RESIZED_AT_ONCE]), side)
        for start in range(0, len(images), RESIZED_AT_ONCE)
    ]
    return torch.cat(parts).contiguous()


def _resize_part(images: Tensor, side: int) -> Tensor:
    return shrink(images.permute(0, 3, 1, 2), side)


def shrink(images: Tensor, side: int) -> Tensor:
    """(N, C, H, W) as bytes at that side, smoothed where it shrinks."""
    if images.shape[-2:] == (side, side):
        return images
    return functional.interpolate(images, size=(side, side), mode="bilinear", antialias=True)


def order_of_epoch(recipe: Recipe, epoch: int, count: int) -> tuple[Tensor, Tensor]:
    """Which photograph comes when, and in which position."""
    random = generator(recipe.seed + EPOCH_STRIDE * (epoch + 1))
    order = torch.randperm(count, generator=random)
    positions = torch.tensor(POSITIONS[recipe.augmentation])
    drawn = torch.randint(len(positions), (count,), generator=random)
    return order, positions[drawn]


def place(images: Tensor, positions: Tensor) -> Tensor:
    """Each image in its position: 0 to 3 quarter turns, 4 to 7 mirrored and turned."""
    placed = torch.empty_like(images)
    for position in sorted(set(positions.tolist())):
        rows = (positions == position).nonzero().flatten()
        mirrored = images[rows].flip(-1) if position >= 4 else images[rows]
        placed[rows] = torch.rot90(mirrored, position % 4, (-2, -1))
    return placed
