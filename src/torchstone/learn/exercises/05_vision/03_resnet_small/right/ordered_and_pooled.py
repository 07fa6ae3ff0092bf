# earns: solved
# helper functions for the layers, an adaptive pool, torch.add
from collections.abc import Sequence

import torch
from torch import Tensor, nn


def conv(inputs: int, outputs: int, size: int, stride: int = 1) -> nn.Conv2d:
    return nn.Conv2d(inputs, outputs, kernel_size=size, stride=stride, padding=size // 2, bias=False)


class Block(nn.Module):
    def __init__(self, inputs: int, outputs: int, stride: int = 1) -> None:
        super().__init__()
        same = inputs == outputs and stride == 1
        self.conv1, self.norm1 = conv(inputs, outputs, 3, stride), nn.BatchNorm2d(outputs)
        self.conv2, self.norm2 = conv(outputs, outputs, 3), nn.BatchNorm2d(outputs)
        way = [conv(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs)]
        self.shortcut = nn.Identity() if same else nn.Sequential(*way)

    def residual(self, x: Tensor) -> Tensor:
        return self.norm2(self.conv2(self.norm1(self.conv1(x)).clamp(min=0)))

    def forward(self, x: Tensor) -> Tensor:
        return torch.add(self.residual(x), self.shortcut(x)).relu_()


class ResNet(nn.Module):
    def __init__(self, classes: int, widths: Sequence[int] = (8, 16, 32)) -> None:
        super().__init__()
        widths = list(widths)
        self.stem = nn.Sequential(conv(1, widths[0], 3), nn.BatchNorm2d(widths[0]), nn.ReLU(inplace=True))
        self.blocks = nn.Sequential()
        inputs = widths[0]
        for number, width in enumerate(widths):
            self.blocks.append(Block(inputs, width, 1 if number == 0 else 2))
            inputs = width
        self.head = nn.Linear(inputs, classes)

    def forward(self, images: Tensor) -> Tensor:
        x = images
        for part in (self.stem, self.blocks):
            x = part(x)
        pooled = nn.functional.adaptive_avg_pool2d(x, 1)
        return self.head(torch.flatten(pooled, 1))
