# rejected by: large_losses_count: Large is not infinite
"""One pass of gradient descent in which the host never waits for the device."""

from collections.abc import Iterable

import torch
from torch import Tensor


def train(
    weight: Tensor, batches: Iterable[tuple[Tensor, Tensor]], rate: float
) -> tuple[Tensor, dict[str, float | int]]:
    """The weight after one pass over `batches`, and a report on their losses."""
    losses, counted = [], []
    for x, y in batches:
        error = x @ weight - y
        loss = error.square().mean()
        finite = loss.isfinite()
        step = torch.where(finite, rate * 2 / len(y) * (x.T @ error), 0.0)
        weight = weight - step
        losses.append(torch.where(finite, loss, 0.0))
        if losses[-1].item() > 1e6:
            break
        counted.append(finite)
    if not losses:
        return weight, {"mean": 0.0, "worst": 0.0, "skipped": 0}
    all_losses, count = torch.stack(losses), torch.stack(counted).sum()
    total, worst, count = torch.stack([all_losses.sum(), all_losses.max(), count]).tolist()
    return weight, {"mean": total / max(count, 1), "worst": worst, "skipped": len(losses) - int(count)}
