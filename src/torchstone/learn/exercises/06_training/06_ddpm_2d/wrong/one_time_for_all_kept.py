# rejected by: losses_are_right: Times are drawn uniformly from
# one time is drawn for the whole batch, not one for each point
"""Denoising diffusion of points in the plane."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

Net = Callable[[Tensor, Tensor], Tensor]


def diffuse(clean: Tensor, times: Tensor, noise: Tensor, betas: Tensor) -> Tensor:
    """The points after `times` + 1 steps of noise, in one jump."""
    kept = torch.cumprod(1 - betas, 0)[times][:, None]
    return kept.sqrt() * clean + (1 - kept).sqrt() * noise


def loss(net: Net, clean: Tensor, betas: Tensor) -> Tensor:
    """How badly the net names the noise in points at random times."""
    times = torch.randint(len(betas), (1,), device=betas.device).expand(len(clean))
    noise = torch.randn_like(clean)
    return functional.mse_loss(net(diffuse(clean, times, noise, betas), times), noise)


@torch.no_grad()
def sample(net: Net, count: int, betas: Tensor) -> Tensor:
    """New points: from pure noise back to the data, one step at a time."""
    alphas = 1 - betas
    kept = torch.cumprod(alphas, 0)
    x = torch.randn(count, 2, device=betas.device)
    for t in reversed(range(len(betas))):
        named = net(x, torch.full((count,), t, device=betas.device))
        x = (x - betas[t] / (1 - kept[t]).sqrt() * named) / alphas[t].sqrt()
        if t > 0:
            x = x + betas[t].sqrt() * torch.randn_like(x)
    return x
