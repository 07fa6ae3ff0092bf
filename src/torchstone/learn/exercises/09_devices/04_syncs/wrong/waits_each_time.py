# rejected by: waits_do_not_grow: Each wait empties the device
# reads the loss of each batch at once; 'at most two waits for the device, however many batches there are'
"""One pass of gradient descent in which the host never waits for the device."""

import math
from collections.abc import Iterable

import torch
from torch import Tensor


def train(
    weight: Tensor, batches: Iterable[tuple[Tensor, Tensor]], rate: float
) -> tuple[Tensor, dict[str, float | int]]:
    """The weight after one pass over `batches`, and a report on their losses."""
    losses: list[float] = []
    for x, y in batches:
        error = x @ weight - y
        loss = error.square().mean()
        good = torch.isfinite(loss)
        weight = torch.where(good, weight - rate * 2 / len(y) * (x.mT @ error), weight)
        losses.append(float(loss))
    numbers = losses
    counted = [number for number in numbers if math.isfinite(number)]
    return weight, {
        "mean": math.fsum(counted) / len(counted) if counted else 0.0,
        "worst": max(counted, default=0.0),
        "skipped": len(numbers) - len(counted),
    }
