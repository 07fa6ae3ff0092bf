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
        # TODO: conv2, norm2 and the shortcut

    def forward(self, x: Tensor) -> Tensor:
        # TODO: this is the first half of one of the two ways
        return functional.relu(self.norm1(self.conv1(x)))


class ResNet(nn.Module):
    """(n, 1, h, w) → (n, classes) logits."""

    def __init__(self, classes: int, widths: Sequence[int] = (8, 16, 32)) -> None:
        super().__init__()
        # TODO: stem, blocks, head

    def forward(self, images: Tensor) -> Tensor:
        # TODO
        raise NotImplementedError("ResNet.forward")
