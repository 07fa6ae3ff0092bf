# rejected by: waits_do_not_grow: Each wait empties the device's queue
# 'keep everything on the device, decide there too': the batches are brought to the CPU and computed there
"""One pass of gradient descent in which the host never waits for the device."""

from collections.abc import Iterable

import torch
from torch import Tensor


def train(
    weight: Tensor, batches: Iterable[tuple[Tensor, Tensor]], rate: float
) -> tuple[Tensor, dict[str, float | int]]:
    home, weight = weight.device, weight.cpu()
    total = worst = torch.zeros((), device=weight.device, dtype=weight.dtype)
    counted = skipped = torch.zeros((), device=weight.device, dtype=torch.int64)
    for x, y in batches:
        x, y = x.cpu(), y.cpu()
        error = x @ weight - y
        loss = error.square().mean()
        fine = loss.isfinite()
        weight = torch.where(fine, weight - rate * 2 / max(len(y), 1) * (x.T @ error), weight)
        loss = torch.where(fine, loss, 0)
        total = total + loss
        worst = torch.maximum(worst, loss)
        counted = counted + fine
        skipped = skipped + ~fine
    total, worst, counted, skipped = torch.stack([total, worst, counted, skipped]).tolist()
    return weight.to(home), {"mean": total / max(counted, 1), "worst": worst, "skipped": int(skipped)}
