# rejected by: spoiled_batches_are_skipped: A batch with a loss that is not finite must change nothing
# 'both 0.0 if none did': 0 / 0 and a worst of −inf
"""One pass of gradient descent in which the host never waits for the device."""

from collections.abc import Iterable

import torch
from torch import Tensor


def train(
    weight: Tensor, batches: Iterable[tuple[Tensor, Tensor]], rate: float
) -> tuple[Tensor, dict[str, float | int]]:
    losses = []
    for x, y in batches:
        error = x @ weight - y
        loss = error.square().mean()
        losses.append(loss)
        weight = torch.where(loss.isfinite(), weight - rate * 2 / max(len(y), 1) * (x.T @ error), weight)
    every = torch.stack(losses)
    fine = every.isfinite()
    mean = torch.where(fine, every, 0).sum() / fine.sum()
    worst = torch.where(fine, every, -torch.inf).max()
    mean, worst, skipped = torch.stack([mean, worst, (~fine).sum().to(mean)]).tolist()
    return weight, {"mean": mean, "worst": worst, "skipped": int(skipped)}
