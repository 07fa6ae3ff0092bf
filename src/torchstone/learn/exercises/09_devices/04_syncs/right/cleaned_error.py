# earns: solved lean fast
# a helper of device ops alone, which clears loss and step where the batch is skipped
"""One pass of gradient descent in which the host never waits for the device."""

from collections.abc import Iterable

import torch
from torch import Tensor


def _one(weight: Tensor, tally: Tensor, x: Tensor, y: Tensor, rate: float) -> tuple[Tensor, Tensor]:
    """The next weight, and the tally of (sum, largest, skipped)."""
    error = torch.mv(x, weight) - y
    loss = error.square().mean()
    bad = ~torch.isfinite(loss)
    loss = loss.masked_fill(bad, 0.0)
    step = (error @ x) * (2 * rate / y.numel())
    total, worst, skipped = tally.unbind()
    tally = torch.stack([total + loss, torch.maximum(worst, loss), skipped + bad])
    return weight - step.masked_fill(bad, 0.0), tally


def train(
    weight: Tensor, batches: Iterable[tuple[Tensor, Tensor]], rate: float
) -> tuple[Tensor, dict[str, float | int]]:
    """The weight after one pass over `batches`, and a report on their losses."""
    tally = torch.zeros(3, dtype=weight.dtype, device=weight.device)
    seen = 0
    for seen, (x, y) in enumerate(batches, start=1):
        weight, tally = _one(weight, tally, x, y, rate)
    total, worst, skipped = tally.tolist()
    counted = seen - int(skipped)
    return weight, {"mean": total / max(1, counted), "worst": worst, "skipped": int(skipped)}
