# rejected by: few_floats_at_a_time: whole.to(x.dtype) is the float matrix ag
# "the forward pass never has more than half of the matrix in floats at one time": the whole matrix is turned into
# floats
"""Store a linear layer's weight in int8, with one step for each row."""

import torch
from torch import Tensor, nn


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    """(out, in) floats → (out, in) int8 and (out,) float32, with weight ≈ step[:, None] * whole."""
    weight = weight.detach().float()
    top = weight.abs().amax(1)
    step = torch.where(top > 0, top / 127, torch.ones_like(top))
    whole = (weight / step[:, None]).round().clamp(-127, 127)
    return whole.to(torch.int8), step


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
        rows = len(self.whole)
        inputs = x.to(wide)
        parts = []
        for whole, step in zip(self.whole.split(rows), self.step.split(rows)):
            parts.append(inputs @ (whole.to(wide) * step.to(wide)[:, None]).T)
        out = torch.cat(parts, -1)
        if self.bias is not None:
            out = out + self.bias
        return out.to(x.dtype)
