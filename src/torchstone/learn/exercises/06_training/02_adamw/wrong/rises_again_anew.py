# rejected by: schedule_is_right: After `total` the rate stays at `floor`
# the cosine goes on after total and rises again; breaks 'to floor (at step = total), where it stays' for step = 2 ·
# total − warmup
"""AdamW in place, with a schedule of warm-up and cosine."""

import math
from collections.abc import Iterable

import torch
from torch import Tensor


def learning_rate(step: int, peak: float, warmup: int, total: int, floor: float = 0.0) -> float:
    """The rate of a step (0, 1, 2, …): up in `warmup` equal stages, then down half a cosine until `total`."""
    if step < warmup:
        return peak * (step + 1) / warmup
    share = (step - warmup) / (total - warmup)
    return floor + (peak - floor) * (1 + math.cos(math.pi * share)) / 2


class _State:
    def __init__(self, parameter: Tensor) -> None:
        self.m = torch.zeros_like(parameter, requires_grad=False)
        self.v = torch.zeros_like(parameter, requires_grad=False)
        self.t = 0


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
        self.states = [_State(parameter) for parameter in self.parameters]

    @torch.no_grad()
    def step(self) -> None:
        """One update of every parameter that has a gradient."""
        first, second = self.betas
        for p, state in zip(self.parameters, self.states):
            if p.grad is None:
                continue
            state.t += 1
            p.mul_(1 - self.rate * self.decay)
            state.m.mul_(first).add_(p.grad, alpha=1 - first)
            state.v.mul_(second).addcmul_(p.grad, p.grad, value=1 - second)
            below = state.v.div(1 - second**state.t).sqrt_().add_(self.eps)
            p.addcdiv_(state.m, below, value=-self.rate / (1 - first**state.t))

    def zero_grad(self) -> None:
        """Forget all gradients."""
        for parameter in self.parameters:
            parameter.grad = None
