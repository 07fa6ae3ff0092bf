# rejected by: influence_is_right: What has gathered in .grad is the caller's,
# uses backward() and wipes every .grad afterwards; breaks 'the .grad of its parameters stay as they were' for a net
# that had gradients
"""The receptive field of one output place, read from gradients."""

import copy

import torch
from torch import Tensor, nn


def influence(net: nn.Module, image: Tensor, row: int, column: int) -> Tensor:
    """(height, width): how strongly each pixel acts on the output at (row, column), over all channels."""
    with torch.enable_grad():
        leaf = image.detach().clone().requires_grad_(True)
        out = net(leaf.unsqueeze(0))
        out[0, :, row, column].sum().backward()
        net.zero_grad()
    return leaf.grad.abs().sum(dim=0)


def _twin(net: nn.Module) -> nn.Sequential:
    twin = nn.Sequential(*(copy.deepcopy(layer) for layer in net if not isinstance(layer, nn.ReLU))).double()
    with torch.no_grad():
        for parameter in twin.parameters():
            parameter.fill_(1.0)
    return twin


def receptive_field(
    net: nn.Module, channels: int, height: int, width: int, row: int, column: int
) -> tuple[int, int, int, int]:
    """(top, left, bottom, right), all included, of the pixels that can act on the output at (row, column)."""
    image = torch.ones(channels, height, width, dtype=torch.float64)
    seen = influence(_twin(net), image, row, column) > 0
    rows = seen.any(1).nonzero().flatten().tolist()
    columns = seen.any(0).nonzero().flatten().tolist()
    return rows[0], columns[0], rows[-1], columns[-1]
