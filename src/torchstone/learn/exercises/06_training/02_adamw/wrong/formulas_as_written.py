# rejected by: a_step_is_in_place: Each operation without _ makes a tensor of its own: mul_, add_
# four tensors of the parameter's size live at once; 'needs at most twice a parameter's bytes beside them'
"""AdamW in place, with a schedule of warm-up and cosine."""

import math
from collections.abc import Iterable

import torch
from torch import Tensor


def learning_rate(step: int, peak: float, warmup: int, total: int, floor: float = 0.0) -> float:
    """The rate of a step (0, 1, 2, …): up in `warmup` equal stages, then down half a cosine until `total`."""
    if step < warmup:
        return peak * (step + 1) / warmup
    way = min(step - warmup, total - warmup) / (total - warmup)
    return floor + (peak - floor) * math.cos(way * math.pi / 2) ** 2


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
        for i, (p, m, v) in enumerate(zip(self.parameters, self.m, self.v, strict=True)):
            if p.grad is None:
                continue
            self.t[i] += 1
            p.mul_(1 - self.rate * self.decay)
            m.mul_(first).add_(p.grad, alpha=1 - first)
            v.mul_(second).addcmul_(p.grad, p.grad, value=1 - second)
            m_hat = m / (1 - first ** self.t[i])
            v_hat = v / (1 - second ** self.t[i])
            root = v_hat.sqrt().add_(self.eps)
            p.sub_(self.rate * m_hat / root)

    def zero_grad(self) -> None:
        """Forget all gradients."""
        for parameter in self.parameters:
            parameter.grad = None
