# rejected by: large_losses_count: Large is not infinite
# "One whose loss is finite is not, whatever its gradient": a batch with a finite loss is skipped because its gradient
# overflows
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
        gradient = 2 / len(y) * (x.T @ error)
        good = torch.isfinite(loss) & torch.isfinite(gradient).all()
        weight = torch.where(good, weight - rate * gradient, weight)
        counted = torch.where(good, loss, 0.0)
        total = total + counted
        worst = torch.maximum(worst, counted)
        count = count + good
        seen += 1
    total, worst, count = torch.stack([total, worst, count]).tolist()
    return weight, {"mean": total / max(count, 1), "worst": worst, "skipped": seen - int(count)}
