# earns: solved
# vjp for the gradient; functional_call with positive weights, the net is never copied or changed
"""The receptive field of one output place, read from gradients."""

import torch
from torch import Tensor, nn
from torch.func import functional_call, vjp


def influence(net: nn.Module, image: Tensor, row: int, column: int) -> Tensor:
    """(height, width): how strongly each pixel acts on the output at (row, column), over all channels."""

    def place(pixels: Tensor) -> Tensor:
        return net(pixels.unsqueeze(0).clone())[0, :, row, column]

    values, pull_back = vjp(place, image.detach())
    (gradient,) = pull_back(torch.ones_like(values))
    return torch.linalg.vector_norm(gradient.detach(), ord=1, dim=0)


def receptive_field(
    net: nn.Module, channels: int, height: int, width: int, row: int, column: int
) -> tuple[int, int, int, int]:
    """(top, left, bottom, right), all included, of the pixels that can act on the output at (row, column)."""
    positive = {}
    for name, weight in net.named_parameters():
        size = weight[0].numel()
        value = 1 / size if weight.dim() > 1 else 0.0
        positive[name] = torch.full_like(weight, value, dtype=torch.float64, requires_grad=False)
    device = next((weight.device for weight in positive.values()), torch.device("cpu"))
    pixels = torch.ones(1, channels, height, width, dtype=torch.float64, device=device, requires_grad=True)
    place = functional_call(net, positive, (pixels * 1,))[0, :, row, column].sum()
    (gradient,) = torch.autograd.grad(place, pixels)
    _, _, rows, columns = gradient.nonzero(as_tuple=True)
    return int(rows.min()), int(columns.min()), int(rows.max()), int(columns.max())
