# rejected by: waits_do_not_grow: Each wait empties the device's queue
# 'read once at the end': every kept loss is read by a float() of its own, as many waits as batches
"""One pass of gradient descent in which the host never waits for the device."""

from collections.abc import Iterable

import torch
from torch import Tensor


def train(
    weight: Tensor, batches: Iterable[tuple[Tensor, Tensor]], rate: float
) -> tuple[Tensor, dict[str, float | int]]:
    losses = []
    for x, y in batches:
        error = x @ weight - y
        loss = error.square().mean()
        losses.append(loss)
        weight = torch.where(loss.isfinite(), weight - rate * 2 / max(len(y), 1) * (x.T @ error), weight)
    values = [float(loss) for loss in losses]
    good = [v for v in values if v - v == 0]
    return weight, {
        "mean": sum(good) / max(len(good), 1),
        "worst": max(good, default=0.0),
        "skipped": len(values) - len(good),
    }
