# earns: solved
# times by multinomial, addcmul, noise by torch.normal around x
"""Denoising diffusion of points in the plane."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

Net = Callable[[Tensor, Tensor], Tensor]


def diffuse(clean: Tensor, times: Tensor, noise: Tensor, betas: Tensor) -> Tensor:
    """The points after `times` + 1 steps of noise, in one jump."""
    kept = torch.cumprod(1 - betas, dim=0).index_select(0, times).unsqueeze(1)
    return torch.addcmul(kept.sqrt() * clean, torch.sqrt(1 - kept), noise)


def loss(net: Net, clean: Tensor, betas: Tensor) -> Tensor:
    """How badly the net names the noise in points at random times."""
    times = torch.ones_like(betas).multinomial(len(clean), replacement=True)
    noise = torch.randn_like(clean)
    return (net(diffuse(clean, times, noise, betas), times) - noise).pow(2).mean()


@torch.no_grad()
def sample(net: Net, count: int, betas: Tensor) -> Tensor:
    """New points: from pure noise back to the data, one step at a time."""
    alphas = 1 - betas
    kept = torch.cumprod(alphas, dim=0)
    x = torch.randn(count, 2, device=betas.device, dtype=betas.dtype)
    for t in reversed(range(len(betas))):
        times = torch.full((count,), t, device=betas.device)
        x = (x - betas[t] / (1 - kept[t]).sqrt() * net(x, times)) / alphas[t].sqrt()
        x = torch.normal(x, float(betas[t]) ** 0.5) if t else x
    return x
