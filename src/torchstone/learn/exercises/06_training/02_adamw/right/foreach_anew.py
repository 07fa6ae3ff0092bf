# earns: solved lean
# torch._foreach operations over all parameters that have a gradient
"""AdamW in place, with a schedule of warm-up and cosine."""

import math
from collections.abc import Iterable

import torch
from torch import Tensor


def learning_rate(step: int, peak: float, warmup: int, total: int, floor: float = 0.0) -> float:
    """The rate of a step (0, 1, 2, …): up in `warmup` equal stages, then down half a cosine until `total`."""
    if step >= total:
        return floor
    if step < warmup:
        return peak / warmup * (step + 1)
    return floor + (peak - floor) * math.cos(math.pi / 2 * (step - warmup) / (total - warmup)) ** 2


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
        self.m = [torch.zeros_like(p.detach()) for p in self.parameters]
        self.v = [torch.zeros_like(p.detach()) for p in self.parameters]
        self.t = [0] * len(self.parameters)

    @torch.no_grad()
    def step(self) -> None:
        """One update of every parameter that has a gradient."""
        b1, b2 = self.betas
        live = [i for i, p in enumerate(self.parameters) if p.grad is not None]
        if not live:
            return
        for i in live:
            self.t[i] += 1
        p = [self.parameters[i] for i in live]
        g = [one.grad for one in p]
        m = [self.m[i] for i in live]
        v = [self.v[i] for i in live]
        torch._foreach_mul_(p, 1 - self.rate * self.decay)
        torch._foreach_mul_(m, b1)
        torch._foreach_add_(m, g, alpha=1 - b1)
        torch._foreach_mul_(v, b2)
        torch._foreach_addcmul_(v, g, g, 1 - b2)
        below = torch._foreach_div(v, [1 - b2 ** self.t[i] for i in live])
        torch._foreach_sqrt_(below)
        torch._foreach_add_(below, self.eps)
        torch._foreach_addcdiv_(p, m, below, [-self.rate / (1 - b1 ** self.t[i]) for i in live])

    def zero_grad(self) -> None:
        """Forget all gradients."""
        for parameter in self.parameters:
            parameter.grad = None
