# earns: solved lean
# one object for each parameter, lerp_ for both averages, one scratch tensor
import math
from collections.abc import Iterable

import torch
from torch import Tensor


def learning_rate(step: int, peak: float, warmup: int, total: int, floor: float = 0.0) -> float:
    """The rate of a step (0, 1, 2, …): up in `warmup` equal stages, then down half a cosine until `total`."""

    warming = (step + 1) / warmup if warmup > 0 else 1.0
    if warming <= 1.0 and step < warmup:
        return warming * peak
    length = total - warmup
    turn = 1.0 if length <= 0 else min(1.0, (step - warmup) / length)
    weight = math.cos(turn * math.pi / 2) ** 2
    return peak * weight + floor * (1.0 - weight)


class Moments:
    """What Adam remembers of one parameter."""

    def __init__(self, parameter: Tensor) -> None:
        self.parameter, self.t = parameter, 0
        self.m = torch.zeros_like(parameter, requires_grad=False)
        self.v = torch.zeros_like(parameter, requires_grad=False)

    def update(self, rate: float, betas: tuple[float, float], eps: float, decay: float) -> None:
        p, g = self.parameter, self.parameter.grad
        self.t += 1
        p.sub_(p, alpha=rate * decay)
        self.m.lerp_(g, 1 - betas[0])
        scratch = g * g
        self.v.lerp_(scratch, 1 - betas[1])
        torch.sqrt(self.v, out=scratch)
        scratch.div_(math.sqrt(1 - betas[1] ** self.t)).add_(eps).reciprocal_().mul_(self.m)
        p.sub_(scratch, alpha=rate / (1 - betas[0] ** self.t))


class AdamW:
    def __init__(
        self,
        parameters: Iterable[Tensor],
        rate: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        decay: float = 0.01,
    ) -> None:
        self.states = [Moments(parameter) for parameter in parameters]
        self.rate, self.betas, self.eps, self.decay = rate, betas, eps, decay

    def step(self) -> None:
        with torch.no_grad():
            for state in self.states:
                if state.parameter.grad is not None:
                    state.update(self.rate, self.betas, self.eps, self.decay)

    def zero_grad(self) -> None:
        for state in self.states:
            state.parameter.grad = None
