# rejected by: spoiled_batches_are_skipped: The mean is over the batches that counted
# "mean and largest loss of the batches that counted": skipped batches are in the divisor of the mean
"""One pass of gradient descent in which the host never waits for the device."""

from collections.abc import Iterable

import torch
from torch import Tensor


def train(
    weight: Tensor, batches: Iterable[tuple[Tensor, Tensor]], rate: float
) -> tuple[Tensor, dict[str, float | int]]:
    """The weight after one pass over `batches`, and a report on their losses."""
    total = torch.zeros((), device=weight.device)
    worst = torch.zeros((), device=weight.device)
    count = torch.zeros((), device=weight.device)
    seen = 0
    for x, y in batches:
        error = x @ weight - y
        loss = error.square().mean()
        good = torch.isfinite(loss)
        weight = torch.where(good, weight - rate * 2 / len(y) * (x.T @ error), weight)
        counted = torch.where(good, loss, 0.0)
        total = total + counted
        worst = torch.maximum(worst, counted)
        count = count + good
        seen += 1
    total, worst, count = torch.stack([total, worst, count]).tolist()
    return weight, {"mean": total / max(seen, 1), "worst": worst, "skipped": seen - int(count)}
