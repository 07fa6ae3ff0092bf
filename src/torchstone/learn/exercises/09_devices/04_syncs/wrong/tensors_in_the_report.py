# rejected by: plain_batches_are_right: the result of train[1]['mean'] is not what it should be
# 'as Python numbers': tensors are returned, nobody ever reads
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
        weight = torch.where(fine, weight - rate * 2 / max(len(y), 1) * (x.T @ error), weight)
        loss = torch.where(fine, loss, 0)
        total = total + loss
        worst = torch.maximum(worst, loss)
        counted = counted + fine
        skipped = skipped + ~fine
    return weight, {"mean": total / counted.clamp(min=1), "worst": worst, "skipped": skipped}
