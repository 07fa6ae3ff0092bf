# rejected by: net_has_its_parts: The task names the parts: keep its names.
# a further block of the same width does not halve the size; promised: "the first keeps the size, each further one
# halves it"
"""Residual blocks, and a small network of them that learns shapes."""

from collections.abc import Sequence

from torch import Tensor, nn


class Block(nn.Module):
    """(n, inputs, h, w) → (n, outputs, h / stride, w / stride): two convolutions and a way around them."""

    def __init__(self, inputs: int, outputs: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, kernel_size=3, stride=stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, kernel_size=3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.shortcut = nn.Identity()
        if (inputs, 1) != (outputs, stride):
            way = nn.Conv2d(inputs, outputs, kernel_size=1, stride=stride, bias=False)
            self.shortcut = nn.Sequential(way, nn.BatchNorm2d(outputs))

    def forward(self, x: Tensor) -> Tensor:
        change = self.norm1(self.conv1(x)).clamp(min=0)
        change = self.norm2(self.conv2(change))
        return (self.shortcut(x) + change).relu()


class ResNet(nn.Module):
    """(n, 1, h, w) → (n, classes) logits."""

    def __init__(self, classes: int, widths: Sequence[int] = (8, 16, 32)) -> None:
        super().__init__()
        widths = tuple(widths)
        self.stem = nn.Sequential(
            nn.Conv2d(1, widths[0], kernel_size=3, padding=1, bias=False), nn.BatchNorm2d(widths[0]), nn.ReLU()
        )
        strides = [1 if before == after else 2 for before, after in zip(widths[:1] + widths[:-1], widths)]
        self.blocks = nn.Sequential(*map(Block, widths[:1] + widths[:-1], widths, strides))
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, images: Tensor) -> Tensor:
        return self.head(self.blocks(self.stem(images)).flatten(2).mean(2))
