# rejected by: spoiled_batches_are_skipped: A batch with a loss that is not finite must change nothing
# 'A batch whose loss is not finite is skipped: it leaves the weight as it is': nan_to_num clears the gradient's
# non-finite elements only; where the square overflows (errors of 1e30) the loss is infinite but the gradient finite,
# and it steps
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
        gradient = 2 / max(len(y), 1) * (x.T @ error)
        weight = weight - rate * gradient.nan_to_num(0.0, 0.0, 0.0)
        loss = torch.where(fine, loss, 0)
        total = total + loss
        worst = torch.maximum(worst, loss)
        counted = counted + fine
        skipped = skipped + ~fine
    total, worst, counted, skipped = torch.stack([total, worst, counted, skipped]).tolist()
    return weight, {"mean": total / max(counted, 1), "worst": worst, "skipped": int(skipped)}
