# rejected by: a_step_is_in_place: Each operation without _ makes a tensor of its own
# "a step changes parameters, m and v in place, and needs at most twice a parameter's bytes": everything is computed
# anew and put into .data
import math
from collections.abc import Iterable

import torch
from torch import Tensor


def learning_rate(step: int, peak: float, warmup: int, total: int, floor: float = 0.0) -> float:
    """The rate of a step (0, 1, 2, …): up in `warmup` equal stages, then down half a cosine until `total`."""

    if step < warmup:
        return peak * (step + 1) / warmup
    if step >= total:
        return floor
    part = (step - warmup) / (total - warmup)
    return floor + (peak - floor) * (1 + math.cos(math.pi * part)) / 2


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
        self.m = [torch.zeros_like(one, requires_grad=False) for one in self.parameters]
        self.v = [torch.zeros_like(one, requires_grad=False) for one in self.parameters]
        self.t = [0] * len(self.parameters)

    @torch.no_grad()
    def step(self) -> None:
        first, second = self.betas
        for k, p in enumerate(self.parameters):
            if p.grad is None:
                continue
            self.t[k] += 1
            self.m[k] = first * self.m[k] + (1 - first) * p.grad
            self.v[k] = second * self.v[k] + (1 - second) * p.grad**2
            m_hat = self.m[k] / (1 - first ** self.t[k])
            v_hat = self.v[k] / (1 - second ** self.t[k])
            p.data = p.data - self.rate * self.decay * p.data - self.rate * m_hat / (v_hat.sqrt() + self.eps)

    def zero_grad(self) -> None:
        """Forget all gradients."""
        for parameter in self.parameters:
            parameter.grad = None
