# earns: solved lean
# unflatten, shifts and masks
"""A linear layer with weights of four bits."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def quantize(weight: Tensor, group: int) -> tuple[Tensor, Tensor, Tensor]:
    """(out, in) → codes (out, in) from 0 to 15, scale and low (out, in / group)."""
    groups = weight.detach().unflatten(1, (-1, group))
    low, high = groups.amin(-1), groups.amax(-1)
    scale = (high - low) / 15
    divisor = torch.where(scale > 0, scale, 1)
    codes = ((groups - low[..., None]) / divisor[..., None]).round().clamp(0, 15)
    return codes.to(torch.uint8).flatten(1), scale, low


def pack(codes: Tensor) -> Tensor:
    """Two codes in a byte: even columns in the low four bits."""
    return codes[:, 0::2] | (codes[:, 1::2] << 4)


def unpack(packed: Tensor) -> Tensor:
    """The codes again."""
    return torch.stack([packed & 15, packed >> 4], -1).flatten(1)


class Int4Linear(nn.Module):
    """Stands for a Linear, with an eighth of its weight and a little more."""

    def __init__(self, linear: nn.Linear, group: int) -> None:
        super().__init__()
        codes, scale, low = quantize(linear.weight, group)
        self.register_buffer("packed", pack(codes))
        self.register_buffer("scale", scale)
        self.register_buffer("low", low)
        self.bias = linear.bias

    def forward(self, x: Tensor) -> Tensor:
        codes = unpack(self.packed).unflatten(1, (self.scale.shape[1], -1)).to(self.scale.dtype)
        weight = (codes * self.scale[..., None] + self.low[..., None]).flatten(1)
        return functional.linear(x, weight, self.bias)
