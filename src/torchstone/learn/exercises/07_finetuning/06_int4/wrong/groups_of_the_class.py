# rejected by: layers_compute_the_same: RuntimeError
# the class has the number of groups, that of the last layer made; 'rebuilds the weight, code · scale + low'
"""A linear layer with weights of four bits."""

import torch
from torch import Tensor, nn
from torch.nn import functional

LEVELS = 15
"""The largest code of four bits."""


def quantize(weight: Tensor, group: int) -> tuple[Tensor, Tensor, Tensor]:
    """(out, in) → codes (out, in) from 0 to 15, scale and low (out, in / group)."""
    groups = weight.detach().unflatten(1, (-1, group))
    low = groups.amin(dim=-1, keepdim=True)
    scale = (groups.amax(dim=-1, keepdim=True) - low) / LEVELS
    # Where all are equal, weight − low is 0: any divisor but 0 gives the code 0.
    steps = torch.where(scale == 0, 1, scale)
    codes = ((groups - low) / steps).round().clamp(0, LEVELS).to(torch.uint8)
    return codes.flatten(1), scale[..., 0], low[..., 0]


def pack(codes: Tensor) -> Tensor:
    """Two codes in a byte: even columns in the low four bits."""
    return codes[:, ::2] | (codes[:, 1::2] << 4)


def unpack(packed: Tensor) -> Tensor:
    """The codes again."""
    return torch.stack([packed & LEVELS, packed >> 4], dim=-1).flatten(1)


class Int4Linear(nn.Module):
    """Stands for a Linear, with an eighth of its weight and a little more."""

    packed: Tensor
    scale: Tensor
    low: Tensor

    def __init__(self, linear: nn.Linear, group: int) -> None:
        super().__init__()
        codes, scale, low = quantize(linear.weight, group)
        self.register_buffer("packed", pack(codes))
        self.register_buffer("scale", scale)
        self.register_buffer("low", low)
        self.bias = linear.bias
        type(self).groups = scale.shape[1]

    def forward(self, x: Tensor) -> Tensor:
        codes = unpack(self.packed).unflatten(1, (self.groups, -1))
        weight = codes * self.scale[..., None] + self.low[..., None]
        return functional.linear(x, weight.flatten(1), self.bias)
