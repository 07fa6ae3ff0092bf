# rejected by: any_number_of_images: (n, classes) for one image alone too: sq
# "one image alone too', '`(n, classes)` logits": the batch axis of a single image is squeezed away
"""Residual blocks, and a small network of them that learns shapes."""

from collections.abc import Sequence

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
        if stride == 1 and inputs == outputs:
            self.shortcut = nn.Identity()
        else:
            self.shortcut = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False),
                nn.BatchNorm2d(outputs),
            )

    def forward(self, x: Tensor) -> Tensor:
        change = functional.relu(self.norm1(self.conv1(x)))
        change = self.norm2(self.conv2(change))
        return functional.relu(change + self.shortcut(x))


class ResNet(nn.Module):
    """(n, 1, h, w) → (n, classes) logits."""

    def __init__(self, classes: int, widths: Sequence[int] = (8, 16, 32)) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(1, widths[0], 3, padding=1, bias=False), nn.BatchNorm2d(widths[0]), nn.ReLU()
        )
        blocks, before = [], widths[0]
        for i, width in enumerate(widths):
            blocks.append(Block(before, width, 2 if i else 1))
            before = width
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Linear(before, classes)

    def forward(self, images: Tensor) -> Tensor:
        places = self.blocks(self.stem(images))
        return self.head(functional.adaptive_avg_pool2d(places, 1).squeeze())
