"""Models that are built, or that end, in ways of their own."""

from typing import Any

import torch
from torch import Tensor, nn


class Interrupted(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        raise KeyboardInterrupt  # interrupted


class Uncalled(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner, self.other = nn.Linear(4, 4), nn.LazyLinear(3)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.inner(x)
        return out


def lazy() -> Any:
    layers = (nn.LazyConv2d(4, 3), nn.LazyBatchNorm2d(), nn.ReLU(), nn.Flatten(), nn.LazyLinear(3))
    return nn.Sequential(*layers), (torch.ones(2, 3, 8, 8),)


def sized() -> Any:
    layers = (nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 3))
    return nn.Sequential(*layers), (torch.ones(2, 3, 8, 8),)


def uncalled() -> Any:
    return Uncalled(), (torch.ones(2, 4),)


def exported() -> Any:
    given = (torch.ones(2, 4),)
    return torch.export.export(nn.Linear(4, 4), given).module(), given


def interrupted() -> Any:
    return Interrupted(), (torch.ones(2, 4),)
