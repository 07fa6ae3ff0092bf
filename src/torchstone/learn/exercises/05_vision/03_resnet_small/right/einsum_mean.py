# earns: solved
# the mean as an einsum, blocks from an iterator, residual written as a chain
from collections.abc import Sequence

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
        self.shortcut: nn.Module = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x: Tensor) -> Tensor:
        way = torch.relu(self.norm1(self.conv1(x)))
        way = self.norm2(self.conv2(way))
        return torch.relu(way + self.shortcut(x))


class ResNet(nn.Module):
    """(n, 1, h, w) → (n, classes) logits."""

    def __init__(self, classes: int, widths: Sequence[int] = (8, 16, 32)) -> None:
        super().__init__()
        strides = [1] + [2] * (len(widths) - 1)
        inputs = [widths[0], *widths[:-1]]
        self.stem = nn.Sequential(
            nn.Conv2d(in_channels=1, out_channels=widths[0], kernel_size=3, padding="same", bias=False),
            nn.BatchNorm2d(widths[0]),
            nn.ReLU(),
        )
        self.blocks = nn.Sequential(*map(Block, inputs, widths, strides))
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, images: Tensor) -> Tensor:
        maps = self.blocks(self.stem(images))
        places = maps.shape[2] * maps.shape[3]
        return self.head(torch.einsum("nchw->nc", maps) / places)
