# earns: solved lean
# the losses are kept on the device and evaluated together at the end on the host
"""One pass of gradient descent in which the host never waits for the device."""

from collections.abc import Iterable

import torch
from torch import Tensor


def train(
    weight: Tensor, batches: Iterable[tuple[Tensor, Tensor]], rate: float
) -> tuple[Tensor, dict[str, float | int]]:
    losses = []
    for x, y in batches:
        n = y.shape[0]
        error = torch.mv(x, weight) - y
        loss = torch.mean(error * error)
        losses.append(loss)
        stepped = weight - (2 * rate / n if n else 0.0) * torch.mv(x.mT, error)
        weight = torch.where(torch.isfinite(loss), stepped, weight)
    values = torch.stack(losses).tolist() if losses else []
    counted = [value for value in values if abs(value) < float("inf")]
    return weight, {
        "mean": sum(counted) / len(counted) if counted else 0.0,
        "worst": max(counted, default=0.0),
        "skipped": len(values) - len(counted),
    }
