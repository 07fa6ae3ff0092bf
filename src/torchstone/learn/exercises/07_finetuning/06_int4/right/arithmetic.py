# earns: solved lean
"""A linear layer with weights of four bits."""

import torch
from torch import Tensor, nn


def quantize(weight: Tensor, group: int) -> tuple[Tensor, Tensor, Tensor]:
    """(out, in) → codes (out, in) from 0 to 15, scale and low (out, in / group)."""
    weight = weight.detach()
    out, inputs = weight.shape
    low, high = weight.reshape(out, inputs // group, group).aminmax(dim=2)
    scale = (high - low) / 15
    wide = scale.repeat_interleave(group, dim=1)
    codes = torch.round((weight - low.repeat_interleave(group, dim=1)) / wide)
    codes = torch.where(wide == 0, torch.zeros_like(codes), codes)
    return torch.clamp(codes, 0, 15).type(torch.uint8), scale, low


def pack(codes: Tensor) -> Tensor:
    """Two codes in a byte: even columns in the low four bits."""
    pairs = codes.reshape(len(codes), -1, 2)
    return pairs[..., 1] * 16 + pairs[..., 0]


def unpack(packed: Tensor) -> Tensor:
    """The codes again."""
    codes = packed.repeat_interleave(2, dim=1)
    codes[:, 0::2] %= 16
    codes[:, 1::2] //= 16
    return codes


class Int4Linear(nn.Module):
    """Stands for a Linear, with an eighth of its weight and a little more."""

    packed: Tensor
    scale: Tensor
    low: Tensor

    def __init__(self, linear: nn.Linear, group: int) -> None:
        super().__init__()
        codes, scale, low = quantize(linear.weight, group)
        for name, value in {"packed": pack(codes), "scale": scale, "low": low}.items():
            self.register_buffer(name, value)
        self.register_parameter("bias", linear.bias)

    def forward(self, x: Tensor) -> Tensor:
        codes = unpack(self.packed)
        group = codes.shape[1] // self.scale.shape[1]
        weight = codes * self.scale.repeat_interleave(group, 1) + self.low.repeat_interleave(group, 1)
        result = x @ weight.T
        return result if self.bias is None else result + self.bias
