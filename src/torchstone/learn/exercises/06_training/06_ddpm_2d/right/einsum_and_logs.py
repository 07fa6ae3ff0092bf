# earns: solved
# products through sums of logs in double, einsum for the rows, masked noise
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

Net = Callable[[Tensor, Tensor], Tensor]


def diffuse(clean: Tensor, times: Tensor, noise: Tensor, betas: Tensor) -> Tensor:
    """The points after `times` + 1 steps of noise, in one jump."""

    log_kept = torch.log1p(-betas.double()).cumsum(0)
    signal = (0.5 * log_kept).exp().to(clean.dtype)[times]
    spread = (-log_kept.expm1()).sqrt().to(clean.dtype)[times]
    return torch.einsum("n,nd->nd", signal, clean) + torch.einsum("n,nd->nd", spread, noise)


def loss(net: Net, clean: Tensor, betas: Tensor) -> Tensor:
    """How badly the net names the noise in points at random times."""

    times = torch.randint(0, betas.numel(), clean.shape[:1], device=clean.device)
    noise = torch.randn(clean.shape, dtype=clean.dtype, device=clean.device)
    noisy = diffuse(clean, times, noise, betas)
    difference = net(noisy, times) - noise
    return torch.mean(difference * difference)


def sample(net: Net, count: int, betas: Tensor) -> Tensor:
    """New points: from pure noise back to the data, one step at a time."""

    with torch.no_grad():
        kept = torch.cumprod(1 - betas, dim=0)
        x = torch.empty(count, 2, dtype=betas.dtype, device=betas.device).normal_()
        for t, (beta, left) in reversed(list(enumerate(zip(betas.unbind(), kept.unbind())))):
            guess = net(x, torch.full((count,), t, dtype=torch.long, device=betas.device))
            x = torch.rsqrt(1 - beta) * (x - beta * torch.rsqrt(1 - left) * guess)
            x = x + torch.sqrt(beta) * torch.randn_like(x) if t else x
    return x
