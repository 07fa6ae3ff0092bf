# earns: solved lean
# the product with the whole numbers in float32, and the step afterwards
"""Store a linear layer's weight in int8, with one step for each row."""

import torch
from torch import Tensor, nn


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    """(out, in) floats → (out, in) int8 and (out,) float32, with weight ≈ step[:, None] * whole."""
    weight = weight.detach().float()
    low, high = weight.aminmax(dim=1, keepdim=True)
    step = torch.maximum(high, -low) / 127
    step[step == 0] = 1 / 127
    return (weight / step).round_().clamp_(-127, 127).char(), step.squeeze(1)


class Int8Linear(nn.Module):
    """A linear layer whose weight is stored in 8 bits."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        whole, step = quantize_rows(linear.weight)
        self.register_buffer("whole", whole)
        self.register_buffer("step", step)
        self.register_buffer("bias", None if linear.bias is None else linear.bias.detach().clone())

    def forward(self, x: Tensor) -> Tensor:
        wide = torch.promote_types(x.dtype, torch.float32)
        rows = max(1, len(self.whole) // 8)
        inputs = x.to(wide)
        parts = []
        for whole, step in zip(self.whole.split(rows), self.step.split(rows)):
            parts.append(torch.einsum("...i,oi->...o", inputs, whole.to(wide)) * step.to(wide))
        out = torch.cat(parts, -1)
        if self.bias is not None:
            out = out + self.bias
        return out.to(x.dtype)
