# rejected by: schedule_is_right: the cosine would rise again
# after `total` the cosine rises again; promised: "to `floor` (at `step = total`), where it stays"
"""AdamW in place, with a schedule of warm-up and cosine."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor


def learning_rate(step: int, peak: float, warmup: int, total: int, floor: float = 0.0) -> float:
    """The rate of a step (0, 1, 2, …): up in `warmup` equal stages, then down half a cosine until `total`."""
    if step < warmup:
        return peak * (step + 1) / warmup
    if total <= warmup:
        return floor
    way = (step - warmup) / (total - warmup)
    return floor + (peak - floor) * math.cos(math.pi * way / 2) ** 2


@dataclass(eq=False)
class _Slot:
    weight: Tensor
    m: Tensor
    v: Tensor
    t: int = 0


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
        self.rate, self.betas, self.eps, self.decay = rate, betas, eps, decay
        self.slots = [
            _Slot(weight, torch.zeros_like(weight, requires_grad=False), torch.zeros_like(weight, requires_grad=False))
            for weight in parameters
        ]

    @torch.no_grad()
    def step(self) -> None:
        """One update of every parameter that has a gradient."""
        first, second = self.betas
        for slot in self.slots:
            gradient = slot.weight.grad
            if gradient is None:
                continue
            slot.t += 1
            slot.weight.mul_(1 - self.rate * self.decay)
            slot.m.lerp_(gradient, 1 - first)
            slot.v.mul_(second).addcmul_(gradient, gradient, value=1 - second)
            below = slot.v.div(1 - second**slot.t).sqrt_().add_(self.eps)
            slot.weight.addcdiv_(slot.m, below, value=-self.rate / (1 - first**slot.t))

    def zero_grad(self) -> None:
        """Forget all gradients."""
        for slot in self.slots:
            slot.weight.grad = None
