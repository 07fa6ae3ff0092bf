"""AdamW in place, with a schedule of warm-up and cosine."""

import math
from collections.abc import Iterable

import torch
from torch import Tensor


def learning_rate(step: int, peak: float, warmup: int, total: int, floor: float = 0.0) -> float:
    """The rate of a step (0, 1, 2, …): up in `warmup` equal stages, then down half a cosine until `total`."""
    # TODO
    raise NotImplementedError("learning_rate")


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
        # TODO: m, v and t for each parameter

    @torch.no_grad()
    def step(self) -> None:
        """One update of every parameter that has a gradient."""
        # TODO: with methods that end in _, so that no copies are made
        raise NotImplementedError("AdamW.step")

    def zero_grad(self) -> None:
        """Forget all gradients."""
        for parameter in self.parameters:
            parameter.grad = None
