# rejected by: updates_are_right: Two parameters of one shape are two: each
# one t for all parameters, so it grows for a parameter without a gradient too
"""AdamW in place, with a schedule of warm-up and cosine."""

import math
from collections.abc import Iterable

import torch
from torch import Tensor


def learning_rate(step: int, peak: float, warmup: int, total: int, floor: float = 0.0) -> float:
    """The rate of a step (0, 1, 2, …): up in `warmup` equal stages, then down half a cosine until `total`."""
    if step < warmup:
        return peak * (step + 1) / warmup
    done = min((step - warmup) / (total - warmup), 1.0)
    return floor + (peak - floor) * (1 + math.cos(math.pi * done)) / 2


class AdamW:
    """Adam with decoupled weight decay."""

    def __init__(
        self,
        parameters: Iterable[Tensor],
        rate: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        decay: float = 0.01,
    ) -> None:
        self.parameters = list(parameters)
        self.rate, self.betas, self.eps, self.decay = rate, betas, eps, decay
        self.m = [torch.zeros_like(p, requires_grad=False) for p in self.parameters]
        self.v = [torch.zeros_like(p, requires_grad=False) for p in self.parameters]
        self.t = [0] * len(self.parameters)

    @torch.no_grad()
    def step(self) -> None:
        """One update of every parameter that has a gradient."""
        first, second = self.betas
        for i, (p, m, v) in enumerate(zip(self.parameters, self.m, self.v)):
            self.t[i] += 1
            if p.grad is None:
                continue
            p.mul_(1 - self.rate * self.decay)
            m.mul_(first).add_(p.grad, alpha=1 - first)
            v.mul_(second).addcmul_(p.grad, p.grad, value=1 - second)
            root = v.div(1 - second ** self.t[i]).sqrt_().add_(self.eps)
            p.addcdiv_(m, root, value=-self.rate / (1 - first ** self.t[i]))

    def zero_grad(self) -> None:
        """Forget all gradients."""
        for parameter in self.parameters:
            parameter.grad = None
