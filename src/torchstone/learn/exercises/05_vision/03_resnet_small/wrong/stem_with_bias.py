# rejected by: net_has_its_parts: A bias before a batch norm is taken away again with the mean
# the stem's convolution has a bias; breaks 'Convolutions before a batch norm have no bias'
"""Residual blocks, and a small network of them that learns shapes."""

from collections.abc import Sequence
from itertools import pairwise

from torch import Tensor, nn


class Block(nn.Module):
    """(n, inputs, h, w) → (n, outputs, h / stride, w / stride): two convolutions and a way around them."""

    def __init__(self, inputs: int, outputs: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.shortcut: nn.Module = nn.Identity()
        if (inputs, 1) != (outputs, stride):
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x: Tensor) -> Tensor:
        change = self.norm1(self.conv1(x)).clamp_min(0)
        change = self.norm2(self.conv2(change))
        return (change + self.shortcut(x)).clamp_min(0)


class ResNet(nn.Module):
    """(n, 1, h, w) → (n, classes) logits."""

    def __init__(self, classes: int, widths: Sequence[int] = (8, 16, 32)) -> None:
        super().__init__()
        widths = list(widths)
        self.stem = nn.Sequential(nn.Conv2d(1, widths[0], 3, padding=1), nn.BatchNorm2d(widths[0]), nn.ReLU())
        self.blocks = nn.Sequential(
            Block(widths[0], widths[0]), *(Block(before, after, 2) for before, after in pairwise(widths))
        )
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, images: Tensor) -> Tensor:
        maps = self.blocks(self.stem(images))
        return self.head(maps.flatten(2).mean(2))
