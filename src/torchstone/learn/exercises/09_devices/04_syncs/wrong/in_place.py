# rejected by: plain_batches_are_right: The caller still needs what it handed in
# 'returns the new weight': the caller's own tensor is stepped in place
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
        step = rate * 2 / max(len(y), 1) * (x.T @ error)
        weight -= torch.where(fine, step, torch.zeros_like(step))
        loss = torch.where(fine, loss, 0)
        total = total + loss
        worst = torch.maximum(worst, loss)
        counted = counted + fine
        skipped = skipped + ~fine
    total, worst, counted, skipped = torch.stack([total, worst, counted, skipped]).tolist()
    return weight, {"mean": total / max(counted, 1), "worst": worst, "skipped": int(skipped)}
