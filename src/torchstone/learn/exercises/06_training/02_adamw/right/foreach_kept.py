# earns: solved lean
# torch._foreach_ functions over lists, the schedule by a squared cosine
"""AdamW in place, with a schedule of warm-up and cosine."""

import math
from collections.abc import Iterable

import torch
from torch import Tensor


def learning_rate(step: int, peak: float, warmup: int, total: int, floor: float = 0.0) -> float:
    """The rate of a step (0, 1, 2, …): up in `warmup` equal stages, then down half a cosine until `total`."""
    if step >= total:
        return floor
    if warmup > step:
        return peak / warmup * (step + 1)
    half = math.cos(0.5 * math.pi * (step - warmup) / (total - warmup)) ** 2  # (1 + cos 2a) / 2 = cos² a
    return peak * half + floor * (1 - half)


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
        self.parameters = [*parameters]
        self.rate, self.betas, self.eps, self.decay = rate, betas, eps, decay
        self.state = [
            {"t": 0, "m": torch.zeros_like(p.detach()), "v": torch.zeros_like(p.detach())} for p in self.parameters
        ]

    @torch.no_grad()
    def step(self) -> None:
        """One update of every parameter that has a gradient."""
        active = [(p, s) for p, s in zip(self.parameters, self.state) if p.grad is not None]
        if not active:
            return
        for _, s in active:
            s["t"] += 1
        beta1, beta2 = self.betas
        params = [p for p, _ in active]
        grads = [p.grad for p in params]
        ms, vs = [s["m"] for _, s in active], [s["v"] for _, s in active]
        torch._foreach_mul_(params, 1 - self.rate * self.decay)
        torch._foreach_lerp_(ms, grads, 1 - beta1)
        torch._foreach_mul_(vs, beta2)
        torch._foreach_addcmul_(vs, grads, grads, 1 - beta2)
        roots = torch._foreach_sqrt(vs)
        torch._foreach_div_(roots, [math.sqrt(1 - beta2 ** s["t"]) for _, s in active])
        torch._foreach_add_(roots, self.eps)
        torch._foreach_addcdiv_(params, ms, roots, [-self.rate / (1 - beta1 ** s["t"]) for _, s in active])

    def zero_grad(self) -> None:
        """Forget all gradients."""
        for parameter in self.parameters:
            parameter.grad = None
