# earns: solved lean
# only the weight is decided on the device; the losses are read at the end as one list and summed up in Python
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
        error = torch.mv(x, weight).sub_(y)
        loss = torch.mean(error * error)
        moved = torch.add(weight, torch.mv(x.mT, error), alpha=-2 * rate / y.numel())
        weight = moved.where(loss.isfinite(), weight)
        losses.append(loss)
    every: list[float] = torch.stack(losses).tolist() if losses else []
    counted = [loss for loss in every if math.isfinite(loss)]
    mean = math.fsum(counted) / len(counted) if counted else 0.0
    return weight, {"mean": mean, "worst": max(counted, default=0.0), "skipped": len(every) - len(counted)}
