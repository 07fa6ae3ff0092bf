# rejected by: batches_differ_in_length: The last batch is often a shorter one: n is that of the batch at
# "its gradient `2/n · xᵀ(x @ weight − y)`": n is that of the first batch, for all of them
"""One pass of gradient descent in which the host never waits for the device."""

from collections.abc import Iterable

import torch
from torch import Tensor


def train(
    weight: Tensor, batches: Iterable[tuple[Tensor, Tensor]], rate: float
) -> tuple[Tensor, dict[str, float | int]]:
    """The weight after one pass over `batches`, and a report on their losses."""
    losses, counted, n = [], [], 0
    for x, y in batches:
        n = n or len(y)
        error = x @ weight - y
        loss = error.square().mean()
        finite = loss.isfinite()
        # The device chooses. A product with 0 would not do: NaN times 0 is NaN.
        step = torch.where(finite, rate * 2 / n * (x.T @ error), 0.0)
        weight = weight - step
        losses.append(torch.where(finite, loss, 0.0))
        counted.append(finite)
    if not losses:
        return weight, {"mean": 0.0, "worst": 0.0, "skipped": 0}
    all_losses, count = torch.stack(losses), torch.stack(counted).sum()
    # The one wait: three numbers in one read.
    total, worst, count = torch.stack([all_losses.sum(), all_losses.max(), count]).tolist()
    return weight, {"mean": total / max(count, 1), "worst": worst, "skipped": len(losses) - int(count)}
