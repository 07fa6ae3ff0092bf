# earns: solved lean
# aminmax, packing by sums and remainders, scales repeated, a copied bias
"""A linear layer with weights of four bits."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def quantize(weight: Tensor, group: int) -> tuple[Tensor, Tensor, Tensor]:
    """(out, in) → codes (out, in) from 0 to 15, scale and low (out, in / group)."""
    with torch.no_grad():
        out, width = weight.shape
        runs = weight.reshape(out, width // group, group)
        low, high = torch.aminmax(runs, dim=2)
        scale = high.sub(low).div(15)
        flat = scale.eq(0).unsqueeze(2)
        ratio = (runs - low.unsqueeze(2)).div(scale.unsqueeze(2)).masked_fill(flat, 0)
        return torch.round(ratio).clamp(max=15).reshape(out, width).to(torch.uint8), scale, low


def pack(codes: Tensor) -> Tensor:
    """Two codes in a byte: even columns in the low four bits."""
    pairs = codes.reshape(codes.shape[0], codes.shape[1] // 2, 2)
    return pairs[..., 1] * 16 + pairs[..., 0]


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
        self.group = group
        codes, scale, low = quantize(linear.weight, group)
        for name, tensor in {"packed": pack(codes), "scale": scale, "low": low}.items():
            self.register_buffer(name, tensor)
        bias = linear.bias
        copied = None if bias is None else nn.Parameter(bias.detach().clone(), requires_grad=bias.requires_grad)
        self.register_parameter("bias", copied)

    def forward(self, x: Tensor) -> Tensor:
        scale = self.scale.repeat_interleave(self.group, 1)
        low = self.low.repeat_interleave(self.group, 1)
        result = x @ torch.addcmul(low, unpack(self.packed).to(low.dtype), scale).T
        return result if self.bias is None else result + self.bias
