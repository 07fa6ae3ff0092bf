# rejected by: any_number_of_images: n, classes) for one image alone too: squeeze()
# squeeze() takes the batch axis of a single image away, so one image gives (classes,)
"""Residual blocks, and a small network of them that learns shapes."""

from collections import OrderedDict
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional


def plain(inputs: int, outputs: int, size: int, stride: int = 1) -> nn.Conv2d:
    """A convolution that is followed by a norm."""
    return nn.Conv2d(inputs, outputs, size, stride=stride, padding=size // 2, bias=False)


class Block(nn.Module):
    """(n, inputs, h, w) → (n, outputs, h / stride, w / stride): two convolutions and a way around them."""

    def __init__(self, inputs: int, outputs: int, stride: int = 1) -> None:
        super().__init__()
        same = inputs == outputs and stride == 1
        self.shortcut = (
            nn.Identity()
            if same
            else nn.Sequential(OrderedDict(conv=plain(inputs, outputs, 1, stride), norm=nn.BatchNorm2d(outputs)))
        )
        self.conv1, self.norm1 = plain(inputs, outputs, 3, stride), nn.BatchNorm2d(outputs)
        self.conv2, self.norm2 = plain(outputs, outputs, 3), nn.BatchNorm2d(outputs)

    def change(self, x: Tensor) -> Tensor:
        for conv, norm, last in ((self.conv1, self.norm1, False), (self.conv2, self.norm2, True)):
            x = norm(conv(x))
            if not last:
                x = x.relu()
        return x

    def forward(self, x: Tensor) -> Tensor:
        return torch.add(self.shortcut(x), self.change(x)).relu()


class ResNet(nn.Module):
    """(n, 1, h, w) → (n, classes) logits."""

    def __init__(self, classes: int, widths: Sequence[int] = (8, 16, 32)) -> None:
        super().__init__()
        self.stem = nn.Sequential()
        self.stem.append(plain(1, widths[0], 3)).append(nn.BatchNorm2d(widths[0])).append(nn.ReLU())
        self.blocks = nn.Sequential()
        inputs, stride = widths[0], 1
        for width in widths:
            self.blocks.append(Block(inputs, width, stride))
            inputs, stride = width, 2
        self.head = nn.Linear(inputs, classes)

    def forward(self, images: Tensor) -> Tensor:
        x = self.blocks(self.stem(images))
        return self.head(functional.adaptive_avg_pool2d(x, 1).squeeze())
