# earns: solved
# functional_call with positive weights in place of a copy of the net; amax for the rectangle
"""The receptive field of one output place, read from gradients."""

import torch
from torch import Tensor, nn
from torch.func import functional_call


def influence(net: nn.Module, image: Tensor, row: int, column: int) -> Tensor:
    """(height, width): how strongly each pixel acts on the output at (row, column), over all channels."""
    nudge = torch.zeros_like(image, requires_grad=True)
    with torch.enable_grad():
        output = net((image.detach() + nudge).unsqueeze(0))
        place = torch.zeros_like(output)
        place[0, :, row, column] = 1
        gradient = torch.autograd.grad(output, nudge, place)[0]
    return torch.linalg.vector_norm(gradient, ord=1, dim=0)


def receptive_field(
    net: nn.Module, channels: int, height: int, width: int, row: int, column: int
) -> tuple[int, int, int, int]:
    """(top, left, bottom, right), all included, of the pixels that can act on the output at (row, column)."""
    positive = {}
    for name, parameter in net.named_parameters():
        value = 1 / parameter[0].numel() if parameter.dim() == 4 else 0.0
        positive[name] = torch.full(parameter.shape, value, dtype=torch.float64)

    def open_net(batch: Tensor) -> Tensor:
        return functional_call(net, positive, (batch,))

    seen = influence(open_net, torch.ones(channels, height, width, dtype=torch.float64), row, column) > 0
    places = [[i for i, hit in enumerate(seen.any(axis).tolist()) if hit] for axis in (1, 0)]
    return places[0][0], places[1][0], places[0][-1], places[1][-1]
