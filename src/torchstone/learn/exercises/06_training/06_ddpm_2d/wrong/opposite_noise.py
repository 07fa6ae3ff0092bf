# rejected by: losses_are_right: Each point has normal noise of its own: torch.randn.
# half of the points get the opposite of the others' noise; 'draw for each point its own time, uniformly, and normal
# noise'
"""Denoising diffusion of points in the plane."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

Net = Callable[[Tensor, Tensor], Tensor]


def diffuse(clean: Tensor, times: Tensor, noise: Tensor, betas: Tensor) -> Tensor:
    """The points after `times` + 1 steps of noise, in one jump."""
    # A sum of independent normal steps is normal: only the share of the signal that is left matters.
    kept = (1 - betas).cumprod(0)[times][:, None]
    return kept.sqrt() * clean + (1 - kept).sqrt() * noise


def loss(net: Net, clean: Tensor, betas: Tensor) -> Tensor:
    """How badly the net names the noise in points at random times."""
    times = torch.randint(len(betas), (len(clean),), device=betas.device)
    half = torch.randn_like(clean[: (len(clean) + 1) // 2])
    noise = torch.cat([half, -half])[: len(clean)]
    return functional.mse_loss(net(diffuse(clean, times, noise, betas), times), noise)


@torch.no_grad()
def sample(net: Net, count: int, betas: Tensor) -> Tensor:
    """New points: from pure noise back to the data, one step at a time."""
    kept = (1 - betas).cumprod(0)
    x = torch.randn(count, 2, device=betas.device, dtype=betas.dtype)
    for t in reversed(range(len(betas))):
        named = net(x, torch.full((count,), t, device=betas.device))
        x = (x - betas[t] / (1 - kept[t]).sqrt() * named) / (1 - betas[t]).sqrt()
        # The last step is the answer: noise added there would stay.
        if t > 0:
            x = x + betas[t].sqrt() * torch.randn_like(x)
    return x
