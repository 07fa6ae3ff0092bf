# earns: solved
# a rebuilt chain without ReLUs and with weights of one, marked as seen or not after each layer
import copy

import torch
from torch import Tensor, nn


def influence(net: nn.Module, image: Tensor, row: int, column: int) -> Tensor:
    """(height, width): how strongly each pixel acts on the output at (row, column), over all channels."""

    point = image.detach().clone()
    point.requires_grad_(True)
    with torch.enable_grad():
        output = net(point.unsqueeze(0))
    pick = torch.zeros_like(output)
    pick[0, :, row, column] = 1
    (gradient,) = torch.autograd.grad([output], [point], [pick])
    return torch.einsum("chw->hw", gradient.abs())


def receptive_field(
    net: nn.Module, channels: int, height: int, width: int, row: int, column: int
) -> tuple[int, int, int, int]:
    """(top, left, bottom, right), all included, of the pixels that can act on the output at (row, column)."""

    layers = []
    for layer in net.modules():
        if isinstance(layer, (nn.Conv2d, nn.AvgPool2d)):
            layer = copy.deepcopy(layer)
            layer.zero_grad()
            for parameter in layer.parameters():
                nn.init.ones_(parameter.requires_grad_(False))
            layers.append(layer.double().cpu())
    inputs, x = [], torch.zeros(1, channels, height, width, dtype=torch.float64)
    with torch.enable_grad():
        for layer in layers:
            inputs.append(x.detach().requires_grad_())
            x = layer(inputs[-1])
            layer.result = x
    marks = torch.zeros_like(x)
    marks[:, :, row, column] = 1.0
    for layer, given in zip(reversed(layers), reversed(inputs)):
        (marks,) = torch.autograd.grad(layer.result, given, marks)
        marks = (marks > 0).double()
    places = marks.amax(dim=(0, 1)).nonzero()
    (top, left), (bottom, right) = places.amin(0).tolist(), places.amax(0).tolist()
    return top, left, bottom, right
