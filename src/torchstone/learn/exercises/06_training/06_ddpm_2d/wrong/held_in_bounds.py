# rejected by: nothing_is_held_within_bounds or steps_back_are_right: values differ
# clamps x to ±5 in each step, so that it cannot run away; breaks 'nothing is held within bounds' for data that lie
# at 20
"""Denoising diffusion of points in the plane."""

from collections.abc import Callable

import torch
from torch import Tensor

Net = Callable[[Tensor, Tensor], Tensor]


def _kept(betas: Tensor) -> Tensor:
    return torch.log1p(-betas).cumsum(0).exp()


def diffuse(clean: Tensor, times: Tensor, noise: Tensor, betas: Tensor) -> Tensor:
    """The points after `times` + 1 steps of noise, in one jump."""
    kept = _kept(betas).index_select(0, times).unsqueeze(1)
    return kept.sqrt() * clean + (1 - kept).sqrt() * noise


def loss(net: Net, clean: Tensor, betas: Tensor) -> Tensor:
    """How badly the net names the noise in points at random times."""
    times = torch.randint(len(betas), (len(clean),), device=betas.device)
    noise = torch.randn(clean.shape, device=betas.device, dtype=clean.dtype)
    guess = net(diffuse(clean, times, noise, betas), times)
    return (guess - noise).square().mean()


@torch.no_grad()
def sample(net: Net, count: int, betas: Tensor) -> Tensor:
    """New points: from pure noise back to the data, one step at a time."""
    kept = _kept(betas)
    x = torch.randn(count, 2, device=betas.device)
    for t in range(len(betas) - 1, -1, -1):
        times = torch.full((count,), t, device=betas.device)
        x = (x - betas[t] / (1 - kept[t]).sqrt() * net(x, times)) / (1 - betas[t]).sqrt()
        x = x.clamp(-5, 5)
        if t > 0:
            x = x + betas[t].sqrt() * torch.randn_like(x)
    return x
