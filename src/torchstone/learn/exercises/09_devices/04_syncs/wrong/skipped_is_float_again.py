# rejected by: plain_batches_are_right: the result of train[1]['skipped'] is not what it should be
# the number of skipped batches comes out as a float; "The report is `{"mean": float, "worst": float, "skipped":
# int}`"
"""One pass of gradient descent in which the host never waits for the device."""

from collections.abc import Iterable

import torch
from torch import Tensor


def train(
    weight: Tensor, batches: Iterable[tuple[Tensor, Tensor]], rate: float
) -> tuple[Tensor, dict[str, float | int]]:
    """The weight after one pass over `batches`, and a report on their losses."""
    total = torch.zeros((), dtype=weight.dtype, device=weight.device)
    worst, counted, skipped = total, total, total
    for x, y in batches:
        error = x @ weight - y
        loss = error.square().mean()
        fine = torch.isfinite(loss)
        weight = torch.where(fine, weight - rate * 2 / len(y) * (x.T @ error), weight)
        known = torch.where(fine, loss, 0)
        total = total + known
        worst = torch.maximum(worst, known)
        counted = counted + fine
        skipped = skipped + ~fine
    total_, worst_, counted_, skipped_ = torch.stack([total, worst, counted, skipped]).tolist()
    return weight, {"mean": total_ / max(counted_, 1), "worst": worst_, "skipped": skipped_}
