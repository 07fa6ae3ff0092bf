# earns: solved
# the schedule as a dictionary of tensors, walked backwards by zip; torch.where instead of an if
"""Denoising diffusion of points in the plane."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

Net = Callable[[Tensor, Tensor], Tensor]


def schedule(betas: Tensor) -> dict[str, Tensor]:
    alphas = torch.ones_like(betas) - betas
    bars = alphas.cumprod(dim=-1)
    return {"signal": bars.sqrt(), "noise": (1 - bars).sqrt(), "step": alphas.sqrt(), "kick": betas.sqrt()}


def diffuse(clean: Tensor, times: Tensor, noise: Tensor, betas: Tensor) -> Tensor:
    """The points after `times` + 1 steps of noise, in one jump."""
    table = schedule(betas)
    return torch.einsum("n,nd->nd", table["signal"][times], clean) + torch.einsum(
        "n,nd->nd", table["noise"][times], noise
    )


def loss(net: Net, clean: Tensor, betas: Tensor) -> Tensor:
    """How badly the net names the noise in points at random times."""
    n, steps = len(clean), len(betas)
    times = (torch.rand(n, device=betas.device) * steps).long().clamp_(max=steps - 1)
    noise = torch.randn(clean.shape, device=clean.device, dtype=clean.dtype)
    named = net(diffuse(clean, times, noise, betas), times)
    return functional.mse_loss(named, noise, reduction="sum") / noise.numel()


@torch.no_grad()
def sample(net: Net, count: int, betas: Tensor) -> Tensor:
    """New points: from pure noise back to the data, one step at a time."""
    table = schedule(betas)
    kicks = table["kick"].clone()
    kicks[0] = 0
    times = torch.arange(len(betas), device=betas.device)
    x = torch.randn((count, 2), device=betas.device)
    columns = zip(times.flip(0), (betas / table["noise"]).flip(0), table["step"].flip(0), kicks.flip(0), strict=True)
    for time, weight, step, kick in columns:
        x = (x - weight * net(x, time.repeat(count))) / step + kick * torch.randn((count, 2), device=betas.device)
    return x
