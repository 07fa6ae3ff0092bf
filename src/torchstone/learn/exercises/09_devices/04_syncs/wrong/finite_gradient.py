# rejected by: large_losses_count: Large is not infinite: only a loss that is not finite is
# asks whether the new weight is finite, so a batch whose loss overflows to infinity while its gradient does not still
# moves the weight; "A batch whose loss is not finite is skipped: it leaves the weight as it is"
"""One pass of gradient descent in which the host never waits for the device."""

from collections.abc import Iterable

import torch
from torch import Tensor


def train(
    weight: Tensor, batches: Iterable[tuple[Tensor, Tensor]], rate: float
) -> tuple[Tensor, dict[str, float | int]]:
    """The weight after one pass over `batches`, and a report on their losses."""
    total = torch.zeros((), dtype=torch.float32, device=weight.device)
    worst, count, skipped = torch.zeros_like(total), torch.zeros_like(total), torch.zeros_like(total)
    for x, y in batches:
        error = x @ weight - y
        loss = error.square().mean()
        good = torch.isfinite(loss)
        stepped = weight - rate * 2 / len(y) * (x.T @ error)
        weight = torch.where(torch.isfinite(stepped).all(), stepped, weight)
        counted = torch.where(good, loss, torch.zeros_like(loss))
        total = total + counted
        worst = torch.maximum(worst, counted)
        count = count + good
        skipped = skipped + ~good
    total, worst, count, skipped = torch.stack([total, worst, count, skipped]).tolist()
    return weight, {"mean": total / max(count, 1.0), "worst": worst, "skipped": int(skipped)}
