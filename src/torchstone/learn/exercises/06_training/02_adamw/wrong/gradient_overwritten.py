# rejected by: defaults_are_kept: a parameter after 3 steps with the defaults is
# "a step changes parameters, m and v in place" and nothing else: the gradient is squared in place, for the sake of
# memory
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
        """One update of every parameter that has a gradient."""
        first, second = self.betas
        for k, (p, m, v) in enumerate(zip(self.parameters, self.m, self.v)):
            g = p.grad
            if g is None:
                continue
            self.t[k] += 1
            p.mul_(1 - self.rate * self.decay)
            m.mul_(first).add_(g, alpha=1 - first)
            v.mul_(second).add_(g.square_(), alpha=1 - second)
            bottom = v.div(1 - second ** self.t[k]).sqrt_().add_(self.eps)
            p.addcdiv_(m, bottom, value=-self.rate / (1 - first ** self.t[k]))

    def zero_grad(self) -> None:
        """Forget all gradients."""
        for parameter in self.parameters:
            parameter.grad = None
