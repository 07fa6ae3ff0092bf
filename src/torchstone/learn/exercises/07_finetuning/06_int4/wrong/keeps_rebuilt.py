# rejected by: little_is_kept: Four bits a weight: two codes in each byte, and nothing kept
# the first forward keeps the rebuilt weight; 'no float copy of the weight; `forward(x)` rebuilds the weight'
"""A linear layer with weights of four bits."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def quantize(weight: Tensor, group: int) -> tuple[Tensor, Tensor, Tensor]:
    """(out, in) → codes (out, in) from 0 to 15, scale and low (out, in / group)."""
    parts = weight.detach().unflatten(1, (-1, group))
    low = parts.amin(-1)
    scale = (parts.amax(-1) - low) / 15
    divisor = torch.where(scale == 0, torch.ones_like(scale), scale)
    codes = ((parts - low[..., None]) / divisor[..., None]).round().clamp(0, 15)
    return codes.to(torch.uint8).flatten(1), scale, low


def pack(codes: Tensor) -> Tensor:
    """Two codes in a byte: even columns in the low four bits."""
    return codes[:, 0::2] | (codes[:, 1::2] << 4)


def unpack(packed: Tensor) -> Tensor:
    """The codes again."""
    return torch.stack([packed & 15, packed >> 4], dim=-1).flatten(1)


class Int4Linear(nn.Module):
    """Stands for a Linear, with an eighth of its weight and a little more."""

    def __init__(self, linear: nn.Linear, group: int) -> None:
        super().__init__()
        codes, scale, low = quantize(linear.weight, group)
        self.register_buffer("packed", pack(codes))
        self.register_buffer("scale", scale)
        self.register_buffer("low", low)
        self.bias = linear.bias
        self.rebuilt: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        if self.rebuilt is None or self.rebuilt.device != x.device:
            codes = unpack(self.packed).unflatten(1, (self.scale.shape[1], -1))
            self.rebuilt = (codes * self.scale[..., None] + self.low[..., None]).flatten(1)
        return functional.linear(x, self.rebuilt, self.bias)
