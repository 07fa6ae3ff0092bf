# earns: solved lean
# state in a dictionary made at the first gradient; lerp for the averages
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
        self.state: dict[int, list] = {}

    @torch.no_grad()
    def step(self) -> None:
        """One update of every parameter that has a gradient."""
        for i, p in enumerate(self.parameters):
            if p.grad is None:
                continue
            state = self.state.setdefault(i, [0, p.new_zeros(p.shape), p.new_zeros(p.shape)])
            state[0] += 1
            t, m, v = state
            m.lerp_(p.grad, 1 - self.betas[0])
            scratch = p.grad.square()
            v.mul_(self.betas[1]).add_(scratch, alpha=1 - self.betas[1])
            torch.div(v, 1 - self.betas[1] ** t, out=scratch)
            scratch.sqrt_().add_(self.eps).reciprocal_().mul_(m).mul_(1 / (1 - self.betas[0] ** t))
            p.sub_(p, alpha=self.rate * self.decay).sub_(scratch, alpha=self.rate)

    def zero_grad(self) -> None:
        """Forget all gradients."""
        for parameter in self.parameters:
            parameter.grad = None
