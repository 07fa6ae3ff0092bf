# earns: solved
# Sequentials with named children (OrderedDict), ReLU modules, adaptive pooling
from collections import OrderedDict
from collections.abc import Sequence

from torch import Tensor, nn


class Block(nn.Module):
    def __init__(self, inputs: int, outputs: int, stride: int = 1) -> None:
        super().__init__()
        same = inputs == outputs and stride == 1
        self.shortcut = (
            nn.Identity()
            if same
            else nn.Sequential(
                OrderedDict(conv=nn.Conv2d(inputs, outputs, 1, stride, bias=False), norm=nn.BatchNorm2d(outputs))
            )
        )
        self.conv2 = nn.Conv2d(outputs, outputs, (3, 3), padding=(1, 1), bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.conv1 = nn.Conv2d(inputs, outputs, (3, 3), stride=(stride, stride), padding=(1, 1), bias=False)
        self.norm1 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        inner = self.relu(self.norm1(self.conv1(x)))
        return self.relu(self.shortcut(x) + self.norm2(self.conv2(inner)))


class ResNet(nn.Module):
    def __init__(self, classes: int, widths: Sequence[int] = (8, 16, 32)) -> None:
        super().__init__()
        first = widths[0]
        self.stem = nn.Sequential(
            OrderedDict(
                [
                    ("conv", nn.Conv2d(1, first, 3, padding=1, bias=False)),
                    ("norm", nn.BatchNorm2d(first)),
                    ("relu", nn.ReLU()),
                ]
            )
        )
        self.blocks = nn.Sequential(
            OrderedDict(
                (f"block{i}", Block(widths[i - 1] if i else first, width, 2 if i else 1))
                for i, width in enumerate(widths)
            )
        )
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, images: Tensor) -> Tensor:
        return self.head(self.pool(self.blocks(self.stem(images))).flatten(1))
