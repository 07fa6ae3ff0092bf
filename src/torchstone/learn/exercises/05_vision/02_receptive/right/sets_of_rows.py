# earns: solved
# no gradient for the rectangle: sets of rows and of columns, walked back layer by layer
import torch
from torch import Tensor, nn


def influence(net: nn.Module, image: Tensor, row: int, column: int) -> Tensor:
    """(height, width): how strongly each pixel acts on the output at (row, column), over all channels."""

    with torch.enable_grad():
        value, pull = torch.func.vjp(lambda pixels: net(pixels.unsqueeze(0))[0, :, row, column].sum(), image.detach())
    (gradient,) = pull(torch.ones_like(value))
    return torch.linalg.vector_norm(gradient.detach(), ord=1, dim=0)


def both(value: int | tuple[int, int]) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else tuple(value)


def sizes_before(layers: list[nn.Module], channels: int, height: int, width: int) -> list[tuple[int, int]]:
    """The height and width that goes into each layer."""
    sizes = [(height, width)]
    with torch.no_grad():
        for layer in layers:
            if isinstance(layer, nn.Conv2d):
                kind = layer.weight
                x = torch.zeros(1, layer.in_channels, *sizes[-1], dtype=kind.dtype, device=kind.device)
            else:
                x = torch.zeros(1, 1, *sizes[-1])
            sizes.append(tuple(layer(x).shape[-2:]))
    return sizes


def receptive_field(
    net: nn.Module, channels: int, height: int, width: int, row: int, column: int
) -> tuple[int, int, int, int]:
    """(top, left, bottom, right), all included, of the pixels that can act on the output at (row, column)."""

    layers = [layer for layer in net.modules() if isinstance(layer, (nn.Conv2d, nn.AvgPool2d))]
    sizes = sizes_before(layers, channels, height, width)
    seen = [{row}, {column}]
    for layer, size in zip(reversed(layers), reversed(sizes[:-1])):
        kernel, stride = both(layer.kernel_size), both(layer.stride)
        spread = both(getattr(layer, "dilation", 1))
        if isinstance(layer, nn.Conv2d):
            left, _, top, _ = layer._reversed_padding_repeated_twice
            before = (top, left)
        else:
            before = both(layer.padding)
        for axis in (0, 1):
            places = {
                place * stride[axis] - before[axis] + tap * spread[axis]
                for place in seen[axis]
                for tap in range(kernel[axis])
            }
            seen[axis] = {place for place in places if 0 <= place < size[axis]}
    return min(seen[0]), min(seen[1]), max(seen[0]), max(seen[1])
