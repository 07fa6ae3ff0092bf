"""Denoising diffusion of points in the plane."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

Net = Callable[[Tensor, Tensor], Tensor]


def diffuse(clean: Tensor, times: Tensor, noise: Tensor, betas: Tensor) -> Tensor:
    """The points after `times` + 1 steps of noise, in one jump."""
    # TODO: torch.cumprod gives ᾱ for all times
    raise NotImplementedError("diffuse")


def loss(net: Net, clean: Tensor, betas: Tensor) -> Tensor:
    """How badly the net names the noise in points at random times."""
    # TODO: a time of its own for each point
    raise NotImplementedError("loss")


@torch.no_grad()
def sample(net: Net, count: int, betas: Tensor) -> Tensor:
    """New points: from pure noise back to the data, one step at a time."""
    # TODO: t = T − 1, …, 0
    raise NotImplementedError("sample")
