# earns: solved
# torch.func for the gradient, functional_call with all weights 1 for the field
"""The receptive field of one output place, read from gradients."""

import torch
from torch import Tensor, nn


def influence(net: nn.Module, image: Tensor, row: int, column: int) -> Tensor:
    """(height, width): how strongly each pixel acts on the output at (row, column), over all channels."""
    gradient = torch.func.grad(lambda one: net(one.unsqueeze(0))[0, :, row, column].sum())(image.detach())
    return torch.linalg.vector_norm(gradient, ord=1, dim=0).detach()


def receptive_field(
    net: nn.Module, channels: int, height: int, width: int, row: int, column: int
) -> tuple[int, int, int, int]:
    """(top, left, bottom, right), all included, of the pixels that can act on the output at (row, column)."""
    ones = [{k: torch.ones_like(p, device="cpu", dtype=torch.float64) for k, p in m.named_parameters()} for m in net]
    image = torch.ones(1, channels, height, width, dtype=torch.float64, requires_grad=True)
    signal = image
    for layer, weights in zip(net, ones):
        signal = torch.func.functional_call(layer, weights, (signal,))
    (gradient,) = torch.autograd.grad(signal[0, :, row, column].sum(), image)
    places = gradient[0].sum(0).nonzero()
    top, left = places.amin(0).tolist()
    bottom, right = places.amax(0).tolist()
    return top, left, bottom, right
