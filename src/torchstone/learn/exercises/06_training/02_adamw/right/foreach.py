# earns: solved lean
"""AdamW in place, with a schedule of warm-up and cosine."""

import math
from collections.abc import Iterable

import torch
from torch import Tensor


def learning_rate(step: int, peak: float, warmup: int, total: int, floor: float = 0.0) -> float:
    if step < warmup:
        return peak * ((step + 1) / warmup)
    way = min(1.0, (step - warmup) / (total - warmup)) if total > warmup else 1.0
    return floor + (peak - floor) * math.cos(math.pi / 2 * way) ** 2


class AdamW:
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
        self.state = {p: [torch.zeros_like(p.detach()), torch.zeros_like(p.detach()), 0] for p in self.parameters}

    @torch.no_grad()
    def step(self) -> None:
        active = [p for p in self.parameters if p.grad is not None]
        if not active:
            return
        one, two = self.betas
        for p in active:
            self.state[p][2] += 1
        grads = [p.grad for p in active]
        first = [self.state[p][0] for p in active]
        second = [self.state[p][1] for p in active]
        times = [self.state[p][2] for p in active]
        torch._foreach_mul_(active, 1 - self.rate * self.decay)
        torch._foreach_mul_(first, one)
        torch._foreach_add_(first, grads, alpha=1 - one)
        torch._foreach_mul_(second, two)
        torch._foreach_addcmul_(second, grads, grads, value=1 - two)
        roots = torch._foreach_sqrt(second)
        torch._foreach_div_(roots, [math.sqrt(1 - two**t) for t in times])
        torch._foreach_add_(roots, self.eps)
        torch._foreach_addcdiv_(active, first, roots, [-self.rate / (1 - one**t) for t in times])

    def zero_grad(self) -> None:
        for parameter in self.parameters:
            parameter.grad = None
