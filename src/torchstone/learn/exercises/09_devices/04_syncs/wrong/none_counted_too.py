# rejected by: spoiled_batches_are_skipped: A batch with a loss that is not finite must change nothing
# "both 0.0 if none did": without a batch that counts the worst is −inf
"""One pass of gradient descent in which the host never waits for the device."""

from collections.abc import Iterable

import torch
from torch import Tensor


def train(
    weight: Tensor, batches: Iterable[tuple[Tensor, Tensor]], rate: float
) -> tuple[Tensor, dict[str, float | int]]:
    """The weight after one pass over `batches`, and a report on their losses."""
    total = torch.zeros((), device=weight.device)
    worst = torch.full((), float("-inf"), device=weight.device)
    count = torch.zeros((), device=weight.device)
    seen = 0
    for x, y in batches:
        error = x @ weight - y
        loss = error.square().mean()
        good = torch.isfinite(loss)
        weight = torch.where(good, weight - rate * 2 / len(y) * (x.T @ error), weight)
        counted = torch.where(good, loss, 0.0)
        total = total + counted
        worst = torch.maximum(worst, torch.where(good, loss, float("-inf")))
        count = count + good
        seen += 1
    total, worst, count = torch.stack([total, worst, count]).tolist()
    return weight, {"mean": total / max(count, 1), "worst": worst, "skipped": seen - int(count)}
