# earns: solved
"""Residual blocks, and a small network of them that learns shapes."""

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional


def conv(inputs: int, outputs: int, size: int, stride: int = 1) -> nn.Conv2d:
    return nn.Conv2d(inputs, outputs, kernel_size=(size, size), stride=(stride, stride), padding=size // 2, bias=False)


class Block(nn.Module):
    """Two convolutions and a way around them."""

    def __init__(self, inputs: int, outputs: int, stride: int = 1) -> None:
        super().__init__()
        same = (inputs, 1) == (outputs, stride)
        self.shortcut = (
            nn.Identity() if same else nn.Sequential(conv(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs))
        )
        self.conv1, self.norm1 = conv(inputs, outputs, 3, stride), nn.BatchNorm2d(outputs)
        self.conv2, self.norm2 = conv(outputs, outputs, 3), nn.BatchNorm2d(outputs)

    def forward(self, x: Tensor) -> Tensor:
        y = functional.conv2d(x, self.conv1.weight, None, self.conv1.stride, self.conv1.padding)
        y = torch.clamp_min(self.norm1(y), 0)
        y = functional.conv2d(y, self.conv2.weight, padding="same")
        return torch.clamp_min(self.shortcut(x) + self.norm2(y), 0)


class ResNet(nn.Module):
    """(n, 1, h, w) → (n, classes) logits."""

    def __init__(self, classes: int, widths: Sequence[int] = (8, 16, 32)) -> None:
        super().__init__()
        widths = list(widths)
        self.stem = nn.Sequential(conv(1, widths[0], 3), nn.BatchNorm2d(widths[0]), nn.ReLU(inplace=True))
        self.blocks = nn.Sequential(Block(widths[0], widths[0]), *(Block(a, b, 2) for a, b in pairwise(widths)))
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, images: Tensor) -> Tensor:
        features = self.blocks(self.stem(images))
        return self.head(functional.adaptive_avg_pool2d(features, 1).flatten(1))
