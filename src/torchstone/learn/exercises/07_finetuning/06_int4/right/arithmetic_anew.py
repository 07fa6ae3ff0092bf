# earns: solved lean
# multiplication and remainder instead of shifts, repeat_interleave, bias copied
"""A linear layer with weights of four bits."""

import torch
from torch import Tensor, nn


@torch.no_grad()
def quantize(weight: Tensor, group: int) -> tuple[Tensor, Tensor, Tensor]:
    """(out, in) → codes (out, in) from 0 to 15, scale and low (out, in / group)."""
    rows = len(weight)
    pieces = weight.reshape(rows, -1, group)
    low, high = torch.aminmax(pieces, dim=2)
    scale = (high - low) / 15
    codes = torch.round((pieces - low.unsqueeze(2)) / scale.unsqueeze(2))
    codes = torch.where(scale.unsqueeze(2) > 0, codes, torch.zeros_like(codes)).clamp(max=15)
    return codes.reshape(rows, -1).to(torch.uint8), scale, low


def pack(codes: Tensor) -> Tensor:
    """Two codes in a byte: even columns in the low four bits."""
    return codes[:, 0::2] + codes[:, 1::2] * 16


def unpack(packed: Tensor) -> Tensor:
    """The codes again."""
    codes = packed.new_empty(packed.shape[0], 2 * packed.shape[1])
    codes[:, 0::2] = packed % 16
    codes[:, 1::2] = torch.div(packed, 16, rounding_mode="floor")
    return codes


class Int4Linear(nn.Module):
    """Stands for a Linear, with an eighth of its weight and a little more."""

    def __init__(self, linear: nn.Linear, group: int) -> None:
        super().__init__()
        codes, scale, low = quantize(linear.weight, group)
        for name, tensor in {"packed": pack(codes), "scale": scale, "low": low}.items():
            self.register_buffer(name, tensor)
        self.bias = None
        if linear.bias is not None:
            self.bias = nn.Parameter(linear.bias.detach().clone(), linear.bias.requires_grad)

    def weight(self) -> Tensor:
        group = 2 * self.packed.shape[1] // self.scale.shape[1]
        spread = [part.repeat_interleave(group, dim=1) for part in (self.scale, self.low)]
        return unpack(self.packed).to(self.scale.dtype) * spread[0] + spread[1]

    def forward(self, x: Tensor) -> Tensor:
        result = x @ self.weight().T
        return result if self.bias is None else result + self.bias
