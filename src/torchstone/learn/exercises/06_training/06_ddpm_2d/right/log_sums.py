# earns: solved
# products as sums of logarithms, noise by normal_, an explicit mean of squares
"""Denoising diffusion of points in the plane."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

Net = Callable[[Tensor, Tensor], Tensor]


def products(betas: Tensor) -> Tensor:
    return torch.exp(torch.cumsum(torch.log1p(-betas), dim=0))


def diffuse(clean: Tensor, times: Tensor, noise: Tensor, betas: Tensor) -> Tensor:
    """The points after `times` + 1 steps of noise, in one jump."""
    left = products(betas).index_select(0, times).unsqueeze(1)
    return torch.addcmul(torch.sqrt(left) * clean, torch.sqrt(1 - left), noise)


def loss(net: Net, clean: Tensor, betas: Tensor) -> Tensor:
    """How badly the net names the noise in points at random times."""
    noise = torch.empty_like(clean).normal_()
    times = torch.ones_like(betas).multinomial(clean.shape[0], replacement=True)
    error = net(diffuse(clean, times, noise, betas), times) - noise
    return (error * error).mean()


@torch.no_grad()
def sample(net: Net, count: int, betas: Tensor) -> Tensor:
    """New points: from pure noise back to the data, one step at a time."""
    left = products(betas)
    x = torch.empty((count, 2), device=betas.device, dtype=torch.float32).normal_()
    t = betas.numel()
    while t:
        t -= 1
        times = torch.zeros(count, dtype=torch.int64, device=betas.device) + t
        epsilon = net(x, times)
        x = (x - epsilon * (betas[t] * (1 - left[t]).rsqrt())) * (1 - betas[t]).rsqrt()
        x = x + betas[t].sqrt() * torch.empty_like(x).normal_() if t else x
    return x
