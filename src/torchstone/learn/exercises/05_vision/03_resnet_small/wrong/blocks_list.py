# rejected by: parts_are_of_their_kind: The task names the parts
# "`blocks`: an `nn.Sequential` of one block for each width": a ModuleList
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
        self.shortcut: nn.Module = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False),
                nn.BatchNorm2d(outputs),
            )

    def forward(self, x: Tensor) -> Tensor:
        change = functional.relu(self.norm1(self.conv1(x)))
        change = self.norm2(self.conv2(change))
        # The ReLU comes after the sum: before it, a block could only ever add and never take away.
        return functional.relu(self.shortcut(x) + change)


class ResNet(nn.Module):
    """(n, 1, h, w) → (n, classes) logits."""

    def __init__(self, classes: int, widths: Sequence[int] = (8, 16, 32)) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(1, widths[0], 3, padding=1, bias=False),
            nn.BatchNorm2d(widths[0]),
            nn.ReLU(),
        )
        before = (widths[0], *widths[:-1])
        self.blocks = nn.ModuleList(
            (Block(i, o, 1 if index == 0 else 2) for index, (i, o) in enumerate(zip(before, widths, strict=True)))
        )
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, images: Tensor) -> Tensor:
        # The mean over all places lets one net take images of every size.
        return self.head(self._run(self.stem(images)).mean((2, 3)))

    def _run(self, x):
        for block in self.blocks:
            x = block(x)
        return x
