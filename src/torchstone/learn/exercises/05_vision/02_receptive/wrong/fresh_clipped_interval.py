# rejected by: edges_and_faint_pixels_count: A closed ReLU or weights that happen to cancel hide pixels that
# intervals cut to the image, too large where a dilated kernel's first tap in the image is not at its edge; 'the
# smallest rectangle'
"""The receptive field of one output place, read from gradients."""

import copy

import torch
from torch import Tensor, nn


def influence(net: nn.Module, image: Tensor, row: int, column: int) -> Tensor:
    """(height, width): how strongly each pixel acts on the output at (row, column), over all channels."""
    with torch.enable_grad():
        pixels = image.detach().clone().requires_grad_()
        output = net(pixels.clone()[None])
        (gradient,) = torch.autograd.grad(output[0, :, row, column].sum(), pixels)
    return gradient.abs().sum(0)


def receptive_field(
    net: nn.Module, channels: int, height: int, width: int, row: int, column: int
) -> tuple[int, int, int, int]:
    """(top, left, bottom, right), all included, of the pixels that can act on the output at (row, column)."""
    sizes = []

    def note(module: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        if not isinstance(module, nn.ReLU):
            sizes.append((module, inputs[0].shape[-2:]))

    twin = copy.deepcopy(net)
    for module in twin.modules():
        if isinstance(module, nn.Conv2d | nn.AvgPool2d | nn.ReLU):
            module.register_forward_hook(note)
    some = next(iter(net.parameters()), torch.zeros(()))
    with torch.no_grad():
        twin(torch.zeros(1, channels, height, width, dtype=some.dtype, device=some.device))

    def both(value: int | tuple[int, int]) -> tuple[int, int]:
        return value if isinstance(value, tuple) else (value, value)

    first, last = [row, column], [row, column]
    for module, size in reversed(sizes):
        kernel, stride = both(module.kernel_size), both(module.stride)
        dilation = both(getattr(module, "dilation", 1))
        padding = module.padding
        if padding == "valid":
            padding = 0
        if padding == "same":
            padding = tuple(d * (k - 1) // 2 for d, k in zip(dilation, kernel, strict=True))
        padding = both(padding)
        for axis in range(2):
            begin = first[axis] * stride[axis] - padding[axis]
            end = last[axis] * stride[axis] - padding[axis] + dilation[axis] * (kernel[axis] - 1)
            first[axis], last[axis] = max(begin, 0), min(end, size[axis] - 1)
    return first[0], first[1], last[0], last[1]
