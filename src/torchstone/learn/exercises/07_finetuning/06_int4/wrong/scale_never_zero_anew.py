# rejected by: equal_weights_are_fine: The scale is
# the scale is held above 1e-8; breaks 'A group whose weights are all equal has the scale 0', and groups within 1e-8
# lose all their codes
"""A linear layer with weights of four bits."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def quantize(weight: Tensor, group: int) -> tuple[Tensor, Tensor, Tensor]:
    """(out, in) → codes (out, in) from 0 to 15, scale and low (out, in / group)."""
    groups = weight.detach().unflatten(1, (-1, group))
    low, high = groups.amin(-1), groups.amax(-1)
    scale = ((high - low) / 15).clamp(min=1e-8)
    codes = (groups - low[..., None]) / scale[..., None]
    codes = codes.round().clamp(0, 15).to(torch.uint8)
    return codes.flatten(1), scale, low


def pack(codes: Tensor) -> Tensor:
    """Two codes in a byte: even columns in the low four bits."""
    even, odd = codes.unflatten(1, (-1, 2)).unbind(-1)
    return torch.bitwise_or(even, torch.bitwise_left_shift(odd, 4))


def unpack(packed: Tensor) -> Tensor:
    """The codes again."""
    return torch.stack((packed & 15, packed >> 4), -1).flatten(1)


class Int4Linear(nn.Module):
    """Stands for a Linear, with an eighth of its weight and a little more."""

    def __init__(self, linear: nn.Linear, group: int) -> None:
        super().__init__()
        codes, scale, low = quantize(linear.weight, group)
        self.group = group
        self.register_buffer("packed", pack(codes))
        self.register_buffer("scale", scale)
        self.register_buffer("low", low)
        self.register_parameter("bias", linear.bias)

    def forward(self, x: Tensor) -> Tensor:
        codes = unpack(self.packed).to(self.scale.dtype).unflatten(1, (-1, self.group))
        weight = codes * self.scale[..., None] + self.low[..., None]
        return functional.linear(x, weight.flatten(1), self.bias)
