# rejected by: spoiled_batches_are_skipped: A batch with a loss that is not finite must change nothing;
# a bad gradient times 0 is NaN and spoils the weight; 'it leaves the weight as it is and counts only as skipped'
"""One pass of gradient descent in which the host never waits for the device."""

import math
from collections.abc import Iterable

import torch
from torch import Tensor


def train(
    weight: Tensor, batches: Iterable[tuple[Tensor, Tensor]], rate: float
) -> tuple[Tensor, dict[str, float | int]]:
    """The weight after one pass over `batches`, and a report on their losses."""
    losses: list[Tensor] = []
    for x, y in batches:
        error = x @ weight - y
        loss = error.square().mean()
        good = torch.isfinite(loss)
        weight = weight - good * rate * 2 / len(y) * (x.mT @ error)
        losses.append(loss)
    numbers = torch.stack(losses).tolist() if losses else []
    counted = [number for number in numbers if math.isfinite(number)]
    return weight, {
        "mean": math.fsum(counted) / len(counted) if counted else 0.0,
        "worst": max(counted, default=0.0),
        "skipped": len(numbers) - len(counted),
    }
