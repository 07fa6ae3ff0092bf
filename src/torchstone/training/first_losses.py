"""The first steps on a device beside the CPU's from the same seed: is what trains fast also right?

A few small steps are taken three times from the same weights on the same photographs: on the device as it is timed; on
the CPU in float64, plainly, without folding or channels last; and on the CPU in float32, whose distance from float64 is
the yardstick. The losses after the first depend on the gradients and the optimizer too.
"""

import dataclasses
import math
from dataclasses import dataclass

import torch

from torchstone.correctness import error_between, half_the_threads, tolerance_for
from torchstone.training.classifier import Classifier
from torchstone.training.photographs import Photographs, order_of_epoch, shrink
from torchstone.training.recipe import Recipe
from torchstone.training.trainer import Trainer

STEPS = 3
BATCH = 4
SIDE = 64
"""Pixels: what a person's own model of a fixed side does not need, ours need for speed."""


@dataclass(frozen=True)
class FirstLosses:
    """What each computed, step by step."""

    device: tuple[float, ...]
    cpu: tuple[float, ...]
    """In float32."""
    exact: tuple[float, ...]
    """On the CPU in float64."""
    step_s: float
    """The device's fastest step, of `BATCH` photographs of `side`."""
    side: int

    @property
    def error(self) -> float:
        return _distance(self.device, self.exact)

    @property
    def tolerance(self) -> float:
        return tolerance_for(_distance(self.cpu, self.exact), "float32")

    def explain_nonsense(self) -> str | None:
        """Why there is nothing to compare with, or None."""
        if all(map(math.isfinite, self.exact)):
            return None
        return f"the losses of the first steps are {spell(self.exact)} on the CPU in float64: nothing can be learnt"

    def explain_wrong(self) -> str | None:
        """What is wrong with the device's losses, or None."""
        if not self.error > self.tolerance:
            return None
        return f"the losses of the first steps are {spell(self.device)}, but {spell(self.exact)} on the CPU"


def compare_first_losses(
    recipe: Recipe,
    classifier: Classifier,
    photographs: Photographs,
    device_id: str,
    side: int | None = SIDE,
    seconds: float = math.inf,
) -> FirstLosses:
    """`side` None keeps the photographs as they are; after `seconds` the device takes no further step."""
    small = _shrink(photographs, side)
    brief = dataclasses.replace(recipe, batch=BATCH, epochs=1, side=small.train_images.shape[-1])
    trainer = Trainer(brief, classifier, small, device_id)
    device, step_s = _losses(trainer, STEPS, seconds)
    with half_the_threads():
        exact, _ = _losses(Trainer(brief, classifier, small, dtype=torch.float64, plain=True), len(device))
        cpu, _ = _losses(Trainer(brief, classifier, small, plain=True), len(device))
    return FirstLosses(device, cpu, exact, step_s, brief.side)


def spell(losses: tuple[float, ...]) -> str:
    """For people."""
    return ", ".join(f"{loss:.5f}" for loss in losses)


def _losses(trainer: Trainer, most: int, seconds: float = math.inf) -> tuple[tuple[float, ...], float]:
    """Of the first steps, and how long the fastest of them took."""
    order, positions = order_of_epoch(trainer.recipe, 0, len(trainer.photographs.train_labels))
    losses: list[float] = []
    times: list[float] = []
    for rows in torch.split(order, BATCH)[:most]:
        before = trainer.now()
        losses.append(float(trainer.step(rows, positions).item()))
        times.append(trainer.now() - before)
        if sum(times) > seconds:
            break
    return tuple(losses), min(times)


def _shrink(photographs: Photographs, side: int | None) -> Photographs:
    """The first few photographs, no larger than `side`."""
    count = STEPS * BATCH
    images = photographs.train_images[:count]
    if side is not None and images.shape[-1] > side:
        images = shrink(images, side)
    return dataclasses.replace(photographs, train_images=images, train_labels=photographs.train_labels[:count])


def _distance(got: tuple[float, ...], exact: tuple[float, ...]) -> float:
    return error_between([torch.tensor(got)], [torch.tensor(exact)])
