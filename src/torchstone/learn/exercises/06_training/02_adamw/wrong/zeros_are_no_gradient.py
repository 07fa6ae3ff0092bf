# rejected by: any_gradient_counts: The formulas hold for every gradient and every t: zeros count as gradients, and
# a gradient of zeros is skipped like a missing one; 'For a parameter p with gradient g in its t-th step'
"""AdamW in place, with a schedule of warm-up and cosine."""

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
    progress = (step - warmup) / (total - warmup)
    return floor + (peak - floor) * (1 + math.cos(math.pi * progress)) / 2


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
        self.means = [torch.zeros_like(parameter) for parameter in self.parameters]
        self.squares = [torch.zeros_like(parameter) for parameter in self.parameters]
        self.steps = [0] * len(self.parameters)

    @torch.no_grad()
    def step(self) -> None:
        """One update of every parameter that has a gradient."""
        beta1, beta2 = self.betas
        for index, parameter in enumerate(self.parameters):
            gradient, mean, square = parameter.grad, self.means[index], self.squares[index]
            if gradient is None or not gradient.any():
                continue
            self.steps[index] += 1
            # Decay acts on the weight itself; put into the gradient, it would be divided by √v like everything there.
            parameter.mul_(1 - self.rate * self.decay)
            mean.lerp_(gradient, 1 - beta1)
            square.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
            correction1, correction2 = 1 - beta1 ** self.steps[index], 1 - beta2 ** self.steps[index]
            # The one new tensor of a step; everything else happens where the numbers already are.
            spread = (square / correction2).sqrt_().add_(self.eps)
            parameter.addcdiv_(mean, spread, value=-self.rate / correction1)

    def zero_grad(self) -> None:
        """Forget all gradients."""
        for parameter in self.parameters:
            parameter.grad = None
