# rejected by: plain_batches_are_right: The caller still needs what it handed in,
# the weight given is changed in place
"""One pass of gradient descent in which the host never waits for the device."""

from collections.abc import Iterable

import torch
from torch import Tensor


def train(
    weight: Tensor, batches: Iterable[tuple[Tensor, Tensor]], rate: float
) -> tuple[Tensor, dict[str, float | int]]:
    """The weight after one pass over `batches`, and a report on their losses."""
    zero = torch.zeros((), dtype=torch.float32, device=weight.device)
    total, worst = zero, zero
    count = torch.zeros(2, dtype=torch.int64, device=weight.device)
    for x, y in batches:
        error = x @ weight - y
        loss = error.square().mean()
        good = torch.isfinite(loss)
        gradient = 2 / len(y) * (x.T @ error)
        weight.copy_(torch.where(good, weight - rate * gradient, weight))
        counted = torch.where(good, loss, zero)
        total = total + counted
        worst = torch.maximum(worst, counted)
        count += torch.stack([good, ~good])
    total, worst = torch.stack([total, worst]).tolist()
    taken, skipped = count.tolist()
    return weight, {"mean": total / max(taken, 1), "worst": worst, "skipped": skipped}
