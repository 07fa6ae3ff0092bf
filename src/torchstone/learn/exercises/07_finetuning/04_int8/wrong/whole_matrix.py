# rejected by: few_floats_at_a_time: whole.to(x.dtype) is the float matrix again: turn some
# the forward pass turns the whole matrix into floats at once
"""Store a linear layer's weight in int8, with one step for each row."""

import torch
from torch import Tensor, nn


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    """(out, in) floats → (out, in) int8 and (out,) float32, with weight ≈ step[:, None] * whole."""
    weight = weight.detach()
    step = (weight.abs().amax(1).double() / 127).float()
    step = torch.where(step > 0, step, torch.ones_like(step))
    whole = (weight.double() / step.double()[:, None]).round().clamp(-127, 127).to(torch.int8)
    return whole, step


class Int8Linear(nn.Module):
    """A linear layer whose weight is stored in 8 bits."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        whole, step = quantize_rows(linear.weight)
        self.register_buffer("whole", whole)
        self.register_buffer("step", step)
        self.register_buffer("bias", None if linear.bias is None else linear.bias.detach().clone())

    def forward(self, x: Tensor) -> Tensor:
        dtype = torch.promote_types(x.dtype, torch.float32)
        wide = x.to(dtype)
        parts = []
        for start in range(0, len(self.step), 4096):
            rows = slice(start, start + 4096)
            weight = self.whole[rows].to(dtype) * self.step[rows, None].to(dtype)
            bias = None if self.bias is None else self.bias[rows].to(dtype)
            parts.append(nn.functional.linear(wide, weight, bias).to(x.dtype))
        return torch.cat(parts, -1)
