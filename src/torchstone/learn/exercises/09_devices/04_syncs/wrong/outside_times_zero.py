# rejected by: spoiled_batches_are_skipped: A batch with a loss that is not finite must change nothing
# 'it leaves the weight as it is': the step is multiplied by 0, and 0 · NaN is NaN
"""One pass of gradient descent in which the host never waits for the device."""

from collections.abc import Iterable

import torch
from torch import Tensor


def train(
    weight: Tensor, batches: Iterable[tuple[Tensor, Tensor]], rate: float
) -> tuple[Tensor, dict[str, float | int]]:
    total = worst = torch.zeros((), device=weight.device, dtype=weight.dtype)
    counted = skipped = torch.zeros((), device=weight.device, dtype=torch.int64)
    for x, y in batches:
        error = x @ weight - y
        loss = error.square().mean()
        fine = loss.isfinite()
        weight = weight - fine * rate * 2 / max(len(y), 1) * (x.T @ error)
        loss = torch.where(fine, loss, 0)
        total = total + loss
        worst = torch.maximum(worst, loss)
        counted = counted + fine
        skipped = skipped + ~fine
    total, worst, counted, skipped = torch.stack([total, worst, counted, skipped]).tolist()
    return weight, {"mean": total / max(counted, 1), "worst": worst, "skipped": int(skipped)}
