# rejected by: net_is_right: RuntimeError: Given input size:
# the mean is over a square window, which images that are not square do not fit; 'takes one-channel images of any
# size'
"""Residual blocks, and a small network of them that learns shapes."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional


class Block(nn.Module):
    """(n, inputs, h, w) → (n, outputs, h / stride, w / stride): two convolutions and a way around them."""

    def __init__(self, inputs: int, outputs: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.shortcut = nn.Identity()
        if (inputs, stride) != (outputs, 1):
            around = nn.Conv2d(inputs, outputs, 1, stride, bias=False)
            self.shortcut = nn.Sequential(around, nn.BatchNorm2d(outputs))

    def forward(self, x: Tensor) -> Tensor:
        inner = torch.relu(self.norm1(self.conv1(x)))
        return torch.relu(torch.add(self.shortcut(x), self.norm2(self.conv2(inner))))


class ResNet(nn.Module):
    """(n, 1, h, w) → (n, classes) logits."""

    def __init__(self, classes: int, widths: Sequence[int] = (8, 16, 32)) -> None:
        super().__init__()
        first = nn.Conv2d(1, widths[0], 3, padding=1, bias=False)
        self.stem = nn.Sequential(first, nn.BatchNorm2d(widths[0]), nn.ReLU())
        self.blocks = nn.Sequential(Block(widths[0], widths[0]))
        for before, width in zip(widths[:-1], widths[1:], strict=True):
            self.blocks.append(Block(before, width, 2))
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, images: Tensor) -> Tensor:
        planes = self.blocks(self.stem(images))
        return self.head(functional.avg_pool2d(planes, planes.shape[-1]).flatten(1))
