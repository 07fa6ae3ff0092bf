"""What stands around the wrong spot of a planted model: right blocks, and weights that are the same each time."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

WIDTH = 16
Built = tuple[nn.Module, tuple[Any, ...]]
"""A model and its arguments."""


class Mlp(nn.Module):
    """A right block around a wrong one."""

    def __init__(self, width: int = WIDTH) -> None:
        super().__init__()
        self.rise = nn.Linear(width, 2 * width)
        self.fall = nn.Linear(2 * width, width)

    def forward(self, hidden: Tensor) -> Tensor:
        change: Tensor = self.fall(self.rise(hidden).sigmoid())
        return hidden + change


class Body(nn.Module):
    """Blocks one after another."""

    def __init__(self, *blocks: nn.Module) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(blocks)

    def forward(self, hidden: Tensor) -> Tensor:
        for block in self.blocks:
            hidden = block(hidden)
        return hidden


class Residual(nn.Module):
    """A block whose inside is one level deeper."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, hidden: Tensor) -> Tensor:
        change: Tensor = self.inner(hidden)
        return hidden + change


def seeded(make: Callable[[], Built]) -> Built:
    """A model whose weights and arguments are the same each time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(11)
        return make()


def in_body(inner: Callable[[], nn.Module], *shape: int) -> Built:
    """One block between two right ones, one level deeper."""
    return seeded(lambda: (Body(Mlp(shape[-1]), Residual(inner()), Mlp(shape[-1])), (torch.randn(shape),)))


def in_images(stem: Callable[[], nn.Module], *shape: int) -> Built:
    """A block on images after a pointwise one."""

    def make() -> Built:
        inside = nn.Sequential(nn.Sigmoid(), stem())
        return Body(nn.Conv2d(shape[1], shape[1], 1), inside, nn.Sigmoid()), (torch.randn(shape),)

    return seeded(make)


def on_words(table: Callable[[], nn.Module], *words: int) -> Built:
    """A table of words before right blocks."""
    return seeded(lambda: (Body(nn.Sequential(table()), Mlp(), Mlp()), (torch.tensor([words]),)))
