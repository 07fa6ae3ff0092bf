# rejected by: any_weights_count: A closed ReLU or weights that happen to cancel hide pixels that could
# "for ... some weights, not only for those the net has now": ReLUs are taken out and weights made positive by abs(),
# but a weight that is 0 now hides its pixel
import copy

import torch
from torch import Tensor, nn


def influence(net: nn.Module, image: Tensor, row: int, column: int) -> Tensor:
    """(height, width): how strongly each pixel acts on the output at (row, column), over all channels."""

    pixels = image.detach().clone().requires_grad_()
    with torch.enable_grad():
        goal = net(pixels[None])[0, :, row, column].sum()
        (gradient,) = torch.autograd.grad(goal, pixels)
    return gradient.abs().sum(0)


def receptive_field(
    net: nn.Module, channels: int, height: int, width: int, row: int, column: int
) -> tuple[int, int, int, int]:
    """(top, left, bottom, right), all included, of the pixels that can act on the output at (row, column)."""

    open_net = copy.deepcopy(net).double().requires_grad_(False)
    for module in open_net.modules():
        if isinstance(module, nn.Conv2d):
            module.weight.abs_()
            if module.bias is not None:
                module.bias.fill_(0.0)
    image = torch.ones(
        channels, height, width, dtype=torch.float64, device=next(iter(net.parameters()), torch.ones(())).device
    )
    seen = influence(open_net, image, row, column) != 0
    rows, columns = seen.any(1).nonzero().flatten(), seen.any(0).nonzero().flatten()
    return int(rows[0]), int(columns[0]), int(rows[-1]), int(columns[-1])
