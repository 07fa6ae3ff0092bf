# rejected by: plain_batches_are_right: the result of train[1]['skipped'] is not what it should be
# the number of skipped batches is a float; "The report is `{"mean": float, "worst": float, "skipped": int}`"
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
        weight = torch.where(good, weight - rate * 2 / len(y) * (x.T @ error), weight)
        counted = torch.where(good, loss, torch.zeros_like(loss))
        total = total + counted
        worst = torch.maximum(worst, counted)
        count = count + good
        skipped = skipped + ~good
    total, worst, count, skipped = torch.stack([total, worst, count, skipped]).tolist()
    return weight, {"mean": total / max(count, 1.0), "worst": worst, "skipped": skipped}
