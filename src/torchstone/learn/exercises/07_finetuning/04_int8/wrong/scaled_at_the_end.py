# rejected by: half_precision_does_not_overflow: and x times whole numbers adds up to
# the product with the whole numbers is turned to the dtype of x before the step is multiplied in, so float16
# overflows where the output does not
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
        for start in range(0, len(self.step), 16):
            rows = slice(start, start + 16)
            weight = self.whole[rows].to(dtype)
            part = (wide @ weight.T).to(x.dtype) * self.step[rows].to(dtype)
            parts.append((part if self.bias is None else part + self.bias[rows]).to(x.dtype))
        return torch.cat(parts, -1)
