# earns: solved lean
# arithmetic instead of bit operations, the group derived from the shapes
"""A linear layer with weights of four bits."""

import torch
from torch import Tensor, nn
from torch.nn import functional


@torch.no_grad()
def quantize(weight: Tensor, group: int) -> tuple[Tensor, Tensor, Tensor]:
    """(out, in) → codes (out, in) from 0 to 15, scale and low (out, in / group)."""
    groups = weight.detach().unflatten(1, (weight.shape[1] // group, group))
    low, high = groups.aminmax(dim=-1, keepdim=True)
    scale = (high - low) / 15
    flat = scale == 0
    codes = ((groups - low) / scale.masked_fill(flat, 1.0)).round().clamp(0, 15).masked_fill(flat, 0.0)
    return codes.flatten(1).to(torch.uint8), scale.squeeze(-1), low.squeeze(-1)


def pack(codes: Tensor) -> Tensor:
    """Two codes in a byte: even columns in the low four bits."""
    even, odd = codes.unflatten(1, (-1, 2)).unbind(-1)
    return even + odd * 16


def unpack(packed: Tensor) -> Tensor:
    """The codes again."""
    odd = torch.div(packed, 16, rounding_mode="floor")
    return torch.stack((packed - odd * 16, odd), dim=-1).flatten(1)


class Int4Linear(nn.Module):
    """Stands for a Linear, with an eighth of its weight and a little more."""

    def __init__(self, linear: nn.Linear, group: int) -> None:
        super().__init__()
        codes, scale, low = quantize(linear.weight, group)
        self.register_buffer("packed", pack(codes))
        self.register_buffer("scale", scale)
        self.register_buffer("low", low)
        self.register_parameter("bias", linear.bias)

    def forward(self, x: Tensor) -> Tensor:
        groups = unpack(self.packed).unflatten(1, (self.scale.shape[1], -1)).to(self.scale.dtype)
        weight = groups * self.scale.unsqueeze(-1) + self.low.unsqueeze(-1)
        return functional.linear(x, weight.flatten(1), self.bias)
