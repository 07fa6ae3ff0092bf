# earns: solved lean
# unpacking through a table of 256 rows, packing through bitwise functions, nn.Buffer
"""A linear layer with weights of four bits."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def quantize(weight: Tensor, group: int) -> tuple[Tensor, Tensor, Tensor]:
    """(out, in) → codes (out, in) from 0 to 15, scale and low (out, in / group)."""
    groups = weight.detach().unflatten(1, (-1, group))
    low = groups.amin(2)
    scale = (groups.amax(2) - low) / 15
    divisor = torch.where(scale == 0, torch.ones_like(scale), scale)
    codes = ((groups - low[..., None]) / divisor[..., None]).round().clamp(0, 15)
    return codes.flatten(1).to(torch.uint8), scale, low


def pack(codes: Tensor) -> Tensor:
    """Two codes in a byte: even columns in the low four bits."""
    even, odd = codes.unflatten(1, (-1, 2)).unbind(-1)
    return torch.bitwise_or(even, torch.bitwise_left_shift(odd, 4))


def unpack(packed: Tensor) -> Tensor:
    """The codes again."""
    numbers = torch.arange(256, device=packed.device)
    table = torch.stack([numbers.remainder(16), numbers.floor_divide(16)], dim=1).to(torch.uint8)
    return table[packed.long()].reshape(packed.shape[0], -1)


class Int4Linear(nn.Module):
    """Stands for a Linear, with an eighth of its weight and a little more."""

    def __init__(self, linear: nn.Linear, group: int) -> None:
        super().__init__()
        self.group = group
        codes, scale, low = quantize(linear.weight, group)
        self.packed, self.scale, self.low = nn.Buffer(pack(codes)), nn.Buffer(scale), nn.Buffer(low)
        self.bias = linear.bias

    def forward(self, x: Tensor) -> Tensor:
        codes = unpack(self.packed).unflatten(1, (-1, self.group)).to(self.scale.dtype)
        weight = (codes * self.scale[..., None] + self.low[..., None]).flatten(1)
        return functional.linear(x, weight, self.bias)
