# earns: solved lean
# bytes by multiplication and division instead of shifts, a nested loop over buffers, addcmul
"""A linear layer with weights of four bits."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def quantize(weight: Tensor, group: int) -> tuple[Tensor, Tensor, Tensor]:
    """(out, in) → codes (out, in) from 0 to 15, scale and low (out, in / group)."""
    out, width = weight.shape
    table = weight.detach().reshape(out, width // group, group)
    low, high = torch.aminmax(table, dim=-1)
    scale = (high - low).div(15)
    flat = scale.eq(0).unsqueeze(-1)
    steps = (table - low.unsqueeze(-1)).div(scale.unsqueeze(-1).masked_fill(flat, 1)).masked_fill(flat, 0)
    return torch.round(steps).clamp_(0, 15).to(torch.uint8).reshape(out, width), scale, low


def pack(codes: Tensor) -> Tensor:
    """Two codes in a byte: even columns in the low four bits."""
    pairs = codes.reshape(codes.shape[0], codes.shape[1] // 2, 2)
    return pairs[..., 1] * 16 + pairs[..., 0]


def unpack(packed: Tensor) -> Tensor:
    """The codes again."""
    codes = packed.new_empty(packed.shape[0], 2 * packed.shape[1])
    codes[:, ::2] = packed % 16
    codes[:, 1::2] = torch.div(packed, 16, rounding_mode="floor")
    return codes


class Int4Linear(nn.Module):
    """Stands for a Linear, with an eighth of its weight and a little more."""

    def __init__(self, linear: nn.Linear, group: int) -> None:
        super().__init__()
        codes, scale, low = quantize(linear.weight, group)
        for name, value in {"packed": pack(codes), "scale": scale, "low": low}.items():
            self.register_buffer(name, value)
        bias = linear.bias
        self.register_parameter(
            "bias", None if bias is None else nn.Parameter(bias.detach().clone(), bias.requires_grad)
        )

    def forward(self, x: Tensor) -> Tensor:
        codes = unpack(self.packed).to(self.low)
        scale, low = (each.repeat_interleave(codes.shape[1] // each.shape[1], dim=1) for each in (self.scale, self.low))
        weight = torch.addcmul(low, codes, scale)
        result = x @ weight.T
        return result if self.bias is None else result + self.bias
