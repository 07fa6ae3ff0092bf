# earns: solved lean
# losses are kept in a list of scalars and stacked at the end; torch.where on the step's rate
"""One pass of gradient descent in which the host never waits for the device."""

from collections.abc import Iterable

import torch
from torch import Tensor


def train(
    weight: Tensor, batches: Iterable[tuple[Tensor, Tensor]], rate: float
) -> tuple[Tensor, dict[str, float | int]]:
    """The weight after one pass over `batches`, and a report on their losses."""
    losses: list[Tensor] = []
    for x, y in batches:
        error = torch.mv(x, weight) - y
        loss = error.pow(2).mean()
        stepped = torch.sub(weight, x.T @ error, alpha=2 * rate / y.shape[0])
        weight = stepped.where(loss.isfinite(), weight)
        losses.append(loss)
    if not losses:
        return weight, {"mean": 0.0, "worst": 0.0, "skipped": 0}
    finite = [loss for loss in torch.stack(losses).tolist() if abs(loss) < float("inf")]
    return weight, {
        "mean": sum(finite) / len(finite) if finite else 0.0,
        "worst": max(finite, default=0.0),
        "skipped": len(losses) - len(finite),
    }
