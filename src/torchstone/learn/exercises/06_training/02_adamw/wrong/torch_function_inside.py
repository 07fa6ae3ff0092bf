# rejected by: updates_are_right: That is torch.optim's own update
# "The optimizers of torch.optim are ruled out": the function inside them does the step
import math
from collections.abc import Iterable

import torch
from torch import Tensor
import importlib


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
        self.parameters = list(parameters)
        self.rate, self.betas, self.eps, self.decay = rate, betas, eps, decay
        self.m = [torch.zeros_like(one, requires_grad=False) for one in self.parameters]
        self.v = [torch.zeros_like(one, requires_grad=False) for one in self.parameters]
        self.t = [torch.tensor(0.0) for _ in self.parameters]

    @torch.no_grad()
    def step(self) -> None:
        run = importlib.import_module("torch.optim." + "adamw").adamw
        live = [k for k, p in enumerate(self.parameters) if p.grad is not None]
        if not live:
            return
        run(
            [self.parameters[k] for k in live],
            [self.parameters[k].grad for k in live],
            [self.m[k] for k in live],
            [self.v[k] for k in live],
            [],
            [self.t[k] for k in live],
            foreach=False,
            amsgrad=False,
            beta1=self.betas[0],
            beta2=self.betas[1],
            lr=self.rate,
            weight_decay=self.decay,
            eps=self.eps,
            maximize=False,
        )

    def zero_grad(self) -> None:
        """Forget all gradients."""
        for parameter in self.parameters:
            parameter.grad = None
