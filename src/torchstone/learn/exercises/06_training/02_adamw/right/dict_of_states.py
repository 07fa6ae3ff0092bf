# earns: solved lean
# state made at the first gradient, kept by the parameter itself; the schedule as a clamp
import math
from collections.abc import Iterable

import torch
from torch import Tensor


def learning_rate(step: int, peak: float, warmup: int, total: int, floor: float = 0.0) -> float:
    """The rate of a step (0, 1, 2, …): up in `warmup` equal stages, then down half a cosine until `total`."""

    if warmup and step < warmup:
        return peak / warmup * (step + 1)
    progress = max(0, min(step, total) - warmup) / max(1, total - warmup)
    if step >= total:
        progress = 1.0
    return (peak + floor) / 2 + (peak - floor) / 2 * math.cos(math.pi * progress)


class AdamW:
    def __init__(
        self,
        parameters: Iterable[Tensor],
        rate: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        decay: float = 0.01,
    ) -> None:
        self.parameters = tuple(parameters)
        self.rate, self.betas, self.eps, self.decay = rate, betas, eps, decay
        self.state: dict[Tensor, dict] = {}

    def step(self) -> None:
        (b1, b2), rate = self.betas, self.rate
        for p in self.parameters:
            if p.grad is None:
                continue
            data, g = p.detach(), p.grad.detach()
            if p not in self.state:
                self.state[p] = {"m": torch.zeros_like(data), "v": torch.zeros_like(data), "t": 0}
            state = self.state[p]
            state["t"] += 1
            data.mul_(1.0 - rate * self.decay)
            state["m"].mul_(b1).add_(g, alpha=1.0 - b1)
            state["v"].mul_(b2).addcmul_(g, g, value=1.0 - b2)
            root = torch.sqrt(state["v"])
            root /= math.sqrt(1.0 - b2 ** state["t"])
            root += self.eps
            data.addcdiv_(state["m"], root, value=-rate / (1.0 - b1 ** state["t"]))
            del root

    def zero_grad(self) -> None:
        for p in self.parameters:
            p.grad = None
