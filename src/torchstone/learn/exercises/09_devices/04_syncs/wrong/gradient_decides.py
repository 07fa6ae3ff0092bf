# rejected by: large_losses_count: Large is not infinite
# also leaves out a step whose gradient is not finite though the loss is; breaks 'One whose loss is finite is not,
# whatever its gradient', x of 1e30 with an error of 1e10 in float32
"""One pass of gradient descent in which the host never waits for the device."""

from collections.abc import Iterable

import torch
from torch import Tensor


@torch.no_grad()
def train(
    weight: Tensor, batches: Iterable[tuple[Tensor, Tensor]], rate: float
) -> tuple[Tensor, dict[str, float | int]]:
    """The weight after one pass over `batches`, and a report on their losses."""
    weight = weight.clone()
    losses = []
    for x, y in batches:
        error = x @ weight - y
        loss = error.square().mean()
        gradient = (2 / len(y)) * (x.T @ error)
        weight = torch.where(torch.isfinite(loss) & torch.isfinite(gradient).all(), weight - rate * gradient, weight)
        losses.append(loss)
    if not losses:
        return weight, {"mean": 0.0, "worst": 0.0, "skipped": 0}
    all_losses = torch.stack(losses)
    counted = torch.isfinite(all_losses)
    kept = torch.where(counted, all_losses, torch.zeros_like(all_losses))
    total, worst, count = torch.stack([kept.sum(), kept.max(), counted.sum().to(kept.dtype)]).tolist()
    return weight, {"mean": total / max(count, 1.0), "worst": worst, "skipped": len(losses) - int(count)}
