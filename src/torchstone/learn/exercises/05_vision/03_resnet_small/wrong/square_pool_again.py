# rejected by: net_is_right: stem, blocks (the first keeps the size,
# "takes one-channel images of any size' and 'the mean over all places": averages the first square only, right for
# square images alone
"""Residual blocks, and a small network of them that learns shapes."""

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn


class Block(nn.Module):
    """(n, inputs, h, w) → (n, outputs, h / stride, w / stride): two convolutions and a way around them."""

    def __init__(self, inputs: int, outputs: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        if (inputs, stride) == (outputs, 1):
            self.shortcut = nn.Identity()
        else:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x: Tensor) -> Tensor:
        change = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))
        return torch.add(self.shortcut(x), change).relu()


class ResNet(nn.Module):
    """(n, 1, h, w) → (n, classes) logits."""

    def __init__(self, classes: int, widths: Sequence[int] = (8, 16, 32)) -> None:
        super().__init__()
        widths = list(widths)
        self.stem = nn.Sequential(
            nn.Conv2d(1, widths[0], 3, padding=1, bias=False),
            nn.BatchNorm2d(widths[0]),
            nn.ReLU(),
        )
        further = [Block(before, after, 2) for before, after in pairwise(widths)]
        self.blocks = nn.Sequential(Block(widths[0], widths[0], 1), *further)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, images: Tensor) -> Tensor:
        maps = self.blocks(self.stem(images))
        means = nn.functional.avg_pool2d(maps, min(maps.shape[2:]))[:, :, 0, 0]
        return self.head(means)
