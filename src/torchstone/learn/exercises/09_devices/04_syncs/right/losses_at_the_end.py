# earns: solved lean fast
# all losses are kept on the device and summed up at the end
"""One pass of gradient descent in which the host never waits for the device."""

from collections.abc import Iterable

import torch
from torch import Tensor


def train(
    weight: Tensor, batches: Iterable[tuple[Tensor, Tensor]], rate: float
) -> tuple[Tensor, dict[str, float | int]]:
    """The weight after one pass over `batches`, and a report on their losses."""
    losses = []
    for x, y in batches:
        error = x.mv(weight).sub_(y)
        losses.append(error.square().mean())
        stepped = torch.addmv(weight, x.T, error, alpha=-2 * rate / len(y))
        weight = torch.where(losses[-1].isfinite(), stepped, weight)
    if not losses:
        return weight, {"mean": 0.0, "worst": 0.0, "skipped": 0}
    stacked = torch.stack(losses)
    counted = stacked.isfinite()
    kept = stacked.masked_fill(~counted, 0.0)
    summary = torch.stack((kept.sum(), kept.amax(), counted.sum().to(kept.dtype)))
    total, worst, count = summary.cpu().tolist()
    return weight, {"mean": total / count if count else 0.0, "worst": worst, "skipped": len(losses) - round(count)}
