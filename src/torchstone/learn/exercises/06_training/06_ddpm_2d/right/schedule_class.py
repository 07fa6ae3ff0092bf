# earns: solved
# a class that holds the products; index_select, lists of coefficients
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

Net = Callable[[Tensor, Tensor], Tensor]


class Schedule:
    """All that follows from the betas."""

    def __init__(self, betas: Tensor) -> None:
        self.betas, self.alphas = betas, 1 - betas
        self.kept = torch.cumprod(self.alphas, dim=0)
        self.signal, self.noise = self.kept.sqrt(), (1 - self.kept).sqrt()

    def __len__(self) -> int:
        return self.betas.shape[0]


def diffuse(clean: Tensor, times: Tensor, noise: Tensor, betas: Tensor) -> Tensor:
    """The points after `times` + 1 steps of noise, in one jump."""

    schedule = Schedule(betas)
    signal = schedule.signal.index_select(0, times).reshape(-1, 1)
    return signal * clean + schedule.noise.index_select(0, times).reshape(-1, 1) * noise


def loss(net: Net, clean: Tensor, betas: Tensor) -> Tensor:
    """How badly the net names the noise in points at random times."""

    n, steps = clean.shape[0], betas.shape[0]
    times = torch.randint(low=0, high=steps, size=(n,), dtype=torch.int64, device=betas.device)
    noise = torch.empty_like(clean).normal_()
    guess = net(diffuse(clean, times, noise, betas), times)
    return (guess - noise).pow(2).mean()


@torch.no_grad()
def sample(net: Net, count: int, betas: Tensor) -> Tensor:
    """New points: from pure noise back to the data, one step at a time."""

    schedule = Schedule(betas.detach())
    points = torch.randn((count, 2), device=betas.device, dtype=betas.dtype)
    for t in range(len(schedule) - 1, -1, -1):
        times = torch.zeros(count, dtype=torch.int64, device=betas.device) + t
        guess = net(points, times)
        points = (points - schedule.betas[t] / schedule.noise[t] * guess) / schedule.alphas[t].sqrt()
        if t != 0:
            points += schedule.betas[t].sqrt() * torch.randn_like(points)
    return points.detach()
