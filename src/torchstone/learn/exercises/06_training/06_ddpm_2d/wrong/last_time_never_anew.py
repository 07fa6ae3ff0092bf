# rejected by: losses_are_right: Times are drawn uniformly from
# randint(0, T − 1) leaves out the last time, for its upper end is exclusive; breaks 'draw for each point its own
# time, uniformly' (times count from 0 to T − 1); with T = 1 it fails
"""Denoising diffusion of points in the plane."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

Net = Callable[[Tensor, Tensor], Tensor]


class Tables(NamedTuple):
    signal: Tensor
    noise: Tensor


def tables(betas: Tensor) -> Tables:
    bar = torch.cumprod(1 - betas, dim=0)
    return Tables(bar.sqrt(), (1 - bar).sqrt())


def diffuse(clean: Tensor, times: Tensor, noise: Tensor, betas: Tensor) -> Tensor:
    """The points after `times` + 1 steps of noise, in one jump."""
    table = tables(betas)
    return torch.addcmul(table.signal[times, None] * clean, table.noise[times, None], noise)


def loss(net: Net, clean: Tensor, betas: Tensor) -> Tensor:
    """How badly the net names the noise in points at random times."""
    noise = torch.randn_like(clean)
    times = torch.randint(0, betas.numel() - 1, clean.shape[:1], device=clean.device)
    return functional.mse_loss(net(diffuse(clean, times, noise, betas), times), noise)


@torch.no_grad()
def sample(net: Net, count: int, betas: Tensor) -> Tensor:
    """New points: from pure noise back to the data, one step at a time."""
    table = tables(betas)
    x = betas.new_empty(count, 2).normal_()
    for t in reversed(range(betas.numel())):
        times = torch.arange(1, device=betas.device).add(t).repeat(count)
        name = net(x, times)
        x = (x - name * (betas[t] / table.noise[t])) * (1 - betas[t]).rsqrt()
        if t:
            x = torch.addcmul(x, betas[t].sqrt(), torch.randn(x.shape, device=x.device))
    return x
