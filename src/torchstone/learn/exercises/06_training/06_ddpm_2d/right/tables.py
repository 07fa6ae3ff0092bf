# earns: solved
# tables in the logarithm, gathered by index_select, and a loop that counts down
"""Denoising diffusion of points in the plane."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

Net = Callable[[Tensor, Tensor], Tensor]


def _tables(betas: Tensor) -> tuple[Tensor, Tensor]:
    kept = torch.exp(torch.cumsum(torch.log1p(-betas), dim=0))
    return kept.sqrt(), torch.rsqrt(1.0 - kept)


def diffuse(clean: Tensor, times: Tensor, noise: Tensor, betas: Tensor) -> Tensor:
    """The points after `times` + 1 steps of noise, in one jump."""
    signal, inverse = _tables(betas)
    return torch.addcmul(
        clean * signal.index_select(0, times).unsqueeze(1),
        noise,
        inverse.index_select(0, times).reciprocal().unsqueeze(1),
    )


def loss(net: Net, clean: Tensor, betas: Tensor) -> Tensor:
    """How badly the net names the noise in points at random times."""
    n, last = clean.shape[0], betas.shape[0] - 1
    times = (torch.rand(n, device=betas.device, dtype=torch.float32) * (last + 1)).long().clamp(max=last)
    noise = torch.empty_like(clean).normal_()
    return (net(diffuse(clean, times, noise, betas), times) - noise).pow(2).mean()


@torch.no_grad()
def sample(net: Net, count: int, betas: Tensor) -> Tensor:
    """New points: from pure noise back to the data, one step at a time."""
    _, inverse = _tables(betas)
    x = betas.new_empty(count, 2).normal_()
    times = torch.full((count,), betas.shape[0] - 1, dtype=torch.int64, device=betas.device)
    for beta, weight in zip(betas.flip(0), (betas * inverse).flip(0), strict=True):
        x = (x - weight * net(x, times.clone())) * torch.rsqrt(1 - beta)
        times -= 1
        if not bool((times < 0).all()):
            x = x + beta.sqrt() * torch.empty_like(x).normal_()
    return x
