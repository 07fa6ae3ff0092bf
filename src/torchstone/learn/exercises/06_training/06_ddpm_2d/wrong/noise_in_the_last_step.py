# rejected by: steps_back_are_right: − ᾱ) · ε) / √α and that is the answer
# noise is added after t = 0, too; promised: "unless t is 0, plus √βₜ times new normal noise"
"""Denoising diffusion of points in the plane."""

from collections.abc import Callable

import torch
from torch import Tensor

Net = Callable[[Tensor, Tensor], Tensor]


def diffuse(clean: Tensor, times: Tensor, noise: Tensor, betas: Tensor) -> Tensor:
    """The points after `times` + 1 steps of noise, in one jump."""
    kept = torch.cumprod(1 - betas, dim=0)
    signal, spread = torch.stack((kept, 1 - kept), dim=1).sqrt()[times].unsqueeze(-1).unbind(1)
    return torch.addcmul(signal * clean, spread, noise)


def loss(net: Net, clean: Tensor, betas: Tensor) -> Tensor:
    """How badly the net names the noise in points at random times."""
    times = torch.randint(0, len(betas), (len(clean),), device=clean.device)
    noise = torch.randn_like(clean)
    return (net(diffuse(clean, times, noise, betas), times) - noise).square().mean()


@torch.no_grad()
def sample(net: Net, count: int, betas: Tensor) -> Tensor:
    """New points: from pure noise back to the data, one step at a time."""
    alphas = 1 - betas
    kept = alphas.cumprod(0)
    x = betas.new_empty(count, 2).normal_()
    for t in reversed(range(len(betas))):
        times = torch.full((count,), t, device=betas.device, dtype=torch.int64)
        x = (x - betas[t] / (1 - kept[t]).sqrt() * net(x, times)) / alphas[t].sqrt()
        x = x + betas[t].sqrt() * torch.randn_like(x)
    return x
