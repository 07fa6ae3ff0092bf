# rejected by: host_and_device_overlap: The device works while the host makes the next batch: use
# makes a list of all batches before the first is computed; "as fast as the reference while the host makes the next
# batch"
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
    batches = list(batches)
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
    return weight, {"mean": total / max(count, 1.0), "worst": worst, "skipped": int(skipped)}
