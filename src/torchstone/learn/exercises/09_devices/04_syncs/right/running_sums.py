# earns: solved lean
# running sums on the device, steps masked by masked_fill, one read at the end
"""One pass of gradient descent in which the host never waits for the device."""

from collections.abc import Iterable

import torch
from torch import Tensor


def train(
    weight: Tensor, batches: Iterable[tuple[Tensor, Tensor]], rate: float
) -> tuple[Tensor, dict[str, float | int]]:
    """The weight after one pass over `batches`, and a report on their losses."""
    total, worst, counted = weight.new_zeros(3).unbind()
    seen = 0
    current = weight.detach().clone()
    for x, y in batches:
        error = torch.mv(x, current).sub_(y)
        loss = error.square().mean()
        fine = loss.isfinite()
        step = torch.mv(x.t(), error).mul_(2.0 / y.shape[0]).mul_(rate)
        current = current.sub(step.masked_fill_(~fine, 0.0))
        loss = loss.masked_fill(~fine, 0.0)
        total = total + loss
        worst = torch.maximum(worst, loss)
        counted = counted + fine
        seen += 1
    total, worst, counted = torch.stack((total, worst, counted)).tolist()
    return current, {"mean": total / counted if counted else 0.0, "worst": worst, "skipped": seen - round(counted)}
