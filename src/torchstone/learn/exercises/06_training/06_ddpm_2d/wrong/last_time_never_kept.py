# rejected by: losses_are_right: Times are drawn uniformly from
# the time T − 1 is never drawn, so times are not uniform over 0 … T − 1
"""Denoising diffusion of points in the plane."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

Net = Callable[[Tensor, Tensor], Tensor]


def _shares(betas: Tensor) -> tuple[Tensor, Tensor]:
    """The factors of the clean point and of the noise, for all times."""
    kept = (1 - betas).cumprod(0)
    return kept**0.5, (1 - kept) ** 0.5


def diffuse(clean: Tensor, times: Tensor, noise: Tensor, betas: Tensor) -> Tensor:
    """The points after `times` + 1 steps of noise, in one jump."""
    signal, spread = (table.index_select(0, times).unsqueeze(1) for table in _shares(betas))
    return torch.addcmul(signal * clean, spread, noise)


def loss(net: Net, clean: Tensor, betas: Tensor) -> Tensor:
    """How badly the net names the noise in points at random times."""
    n, T = clean.shape[0], betas.shape[0]
    times = torch.randint(0, max(T - 1, 1), [n], device=clean.device)
    noise = torch.empty_like(clean).normal_()
    return (net(diffuse(clean, times, noise, betas), times) - noise).square().mean()


def sample(net: Net, count: int, betas: Tensor) -> Tensor:
    """New points: from pure noise back to the data, one step at a time."""
    with torch.no_grad():
        _, spread = _shares(betas)
        x = betas.new_empty(count, 2).normal_()
        times = torch.full([count], len(betas) - 1, dtype=torch.int64, device=betas.device)
        for step in range(len(betas) - 1, -1, -1):
            beta = betas[step]
            x = torch.rsqrt(1 - beta) * (x - net(x, times) * (beta / spread[step]))
            if step:
                x = x + torch.sqrt(beta) * torch.randn(count, 2, device=betas.device)
                times = times - 1
        return x
