# rejected by: any_number_of_images: (n, classes) for one image alone too: sq
# squeezes all axes of size 1 after pooling; breaks '(n, classes), one image alone too': one image gives (classes,)
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
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding="same", bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        same = stride == 1 and inputs == outputs
        if same:
            self.shortcut = nn.Identity()
        else:
            self.shortcut = nn.Sequential()
            self.shortcut.append(nn.Conv2d(inputs, outputs, kernel_size=1, stride=stride, bias=False))
            self.shortcut.append(nn.BatchNorm2d(outputs))

    def forward(self, x: Tensor) -> Tensor:
        around = self.shortcut(x)
        x = functional.relu(self.norm1(self.conv1(x)))
        x = self.norm2(self.conv2(x))
        return functional.relu(torch.add(x, around))


class ResNet(nn.Module):
    """(n, 1, h, w) → (n, classes) logits."""

    def __init__(self, classes: int, widths: Sequence[int] = (8, 16, 32)) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(1, widths[0], 3, 1, 1, bias=False), nn.BatchNorm2d(widths[0]), nn.ReLU(inplace=True)
        )
        self.blocks = nn.Sequential()
        before = widths[0]
        for i, width in enumerate(widths):
            self.blocks.append(Block(before, width, stride=2 if i else 1))
            before = width
        self.head = nn.Linear(before, classes)

    def forward(self, images: Tensor) -> Tensor:
        x = self.stem(images)
        x = self.blocks(x)
        x = functional.adaptive_avg_pool2d(x, 1)
        return self.head(x.squeeze())
