# earns: solved lean
# lists of tensors at once with the foreach functions
"""AdamW in place, with a schedule of warm-up and cosine."""

import math
from collections.abc import Iterable

import torch
from torch import Tensor


def learning_rate(step: int, peak: float, warmup: int, total: int, floor: float = 0.0) -> float:
    """The rate of a step (0, 1, 2, …): up in `warmup` equal stages, then down half a cosine until `total`."""
    if step < warmup:
        return (step + 1) * peak / warmup
    if step >= total:
        return floor
    angle = math.pi * (step - warmup) / (total - warmup)
    return floor + (peak - floor) * math.cos(angle / 2) ** 2


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
        self.t = [0 for _ in self.parameters]

    @torch.no_grad()
    def step(self) -> None:
        """One update of every parameter that has a gradient."""
        live = [i for i, p in enumerate(self.parameters) if p.grad is not None]
        if not live:
            return
        first, second = self.betas
        for i in live:
            self.t[i] += 1
        p, m, v = ([tensors[i] for i in live] for tensors in (self.parameters, self.m, self.v))
        g = [one.grad for one in p]
        torch._foreach_mul_(p, 1 - self.rate * self.decay)
        torch._foreach_mul_(m, first)
        torch._foreach_add_(m, g, alpha=1 - first)
        torch._foreach_mul_(v, second)
        torch._foreach_addcmul_(v, g, g, value=1 - second)
        roots = torch._foreach_div(v, [1 - second ** self.t[i] for i in live])
        torch._foreach_sqrt_(roots)
        torch._foreach_add_(roots, self.eps)
        torch._foreach_addcdiv_(p, m, roots, scalars=[-self.rate / (1 - first ** self.t[i]) for i in live])

    def zero_grad(self) -> None:
        """Forget all gradients."""
        for parameter in self.parameters:
            parameter.grad = None
