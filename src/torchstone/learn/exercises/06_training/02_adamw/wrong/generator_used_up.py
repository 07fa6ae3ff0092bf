# rejected by: updates_are_right: decay
# "parameters may be a generator": it is kept as it came, and empty after the first look
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
        self.parameters = parameters
        self.rate, self.betas, self.eps, self.decay = rate, betas, eps, decay
        self.state: dict[int, list] = {}

    @torch.no_grad()
    def step(self) -> None:
        """One update of every parameter that has a gradient."""
        first, second = self.betas
        for p in self.parameters:
            g = p.grad
            if g is None:
                continue
            state = self.state.setdefault(id(p), [torch.zeros_like(p), torch.zeros_like(p), 0])
            state[2] += 1
            m, v, t = state
            p.mul_(1 - self.rate * self.decay)
            m.mul_(first).add_(g, alpha=1 - first)
            v.mul_(second).addcmul_(g, g, value=1 - second)
            bottom = v.div(1 - second**t).sqrt_().add_(self.eps)
            p.addcdiv_(m, bottom, value=-self.rate / (1 - first**t))

    def zero_grad(self) -> None:
        """Forget all gradients."""
        for parameter in self.parameters:
            parameter.grad = None
