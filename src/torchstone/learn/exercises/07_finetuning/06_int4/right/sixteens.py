# earns: solved lean
# bytes by multiplication and remainder instead of shifts, the weight by addcmul
"""A linear layer with weights of four bits."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def quantize(weight: Tensor, group: int) -> tuple[Tensor, Tensor, Tensor]:
    """(out, in) → codes (out, in) from 0 to 15, scale and low (out, in / group)."""
    out, width = weight.shape
    parts = weight.detach().reshape(out, width // group, group)
    low, high = torch.aminmax(parts, dim=2)
    scale = (high - low) / 15
    divisor = scale.masked_fill(scale == 0, 1)
    codes = ((parts - low[..., None]) / divisor[..., None]).round().clamp(0, 15)
    return codes.to(torch.uint8).flatten(1), scale, low


def pack(codes: Tensor) -> Tensor:
    """Two codes in a byte: even columns in the low four bits."""
    low, high = codes.reshape(codes.shape[0], codes.shape[1] // 2, 2).unbind(2)
    return (low.int() + 16 * high.int()).to(torch.uint8)


def unpack(packed: Tensor) -> Tensor:
    """The codes again."""
    codes = packed.new_empty(packed.shape[0], 2 * packed.shape[1])
    codes[:, ::2] = packed.remainder(16)
    codes[:, 1::2] = packed.div(16, rounding_mode="floor")
    return codes


class Int4Linear(nn.Module):
    """Stands for a Linear, with an eighth of its weight and a little more."""

    def __init__(self, linear: nn.Linear, group: int) -> None:
        super().__init__()
        codes, scale, low = quantize(linear.weight, group)
        for name, tensor in (("packed", pack(codes)), ("scale", scale), ("low", low)):
            self.register_buffer(name, tensor)
        self.bias = linear.bias

    def forward(self, x: Tensor) -> Tensor:
        codes = unpack(self.packed).unflatten(1, (self.scale.shape[1], -1))
        weight = torch.addcmul(self.low[..., None], codes.to(self.low.dtype), self.scale[..., None]).flatten(1)
        return functional.linear(x, weight, self.bias)
