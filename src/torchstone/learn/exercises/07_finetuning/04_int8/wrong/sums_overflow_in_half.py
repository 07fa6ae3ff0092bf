# rejected by: half_precision_does_not_overflow: float16 ends at 65,504, and x times whole numbers adds up to more: multiply in
# float16 inputs are multiplied with whole numbers in float16, whose sums overflow; 'the error stays within half a
# step of each row, in the weight and in the output'
"""Store a linear layer's weight in int8, with one step for each row."""

import torch
from torch import Tensor, nn


@torch.no_grad()
def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    """(out, in) floats → (out, in) int8 and (out,) float32, with weight ≈ step[:, None] * whole."""
    wide = weight.to(torch.promote_types(weight.dtype, torch.float32))
    largest = wide.abs().amax(dim=1)
    step = (largest / 127).to(torch.float32)
    step = torch.where(largest > 0, step.clamp_min(1e-45), 1.0)
    whole = (wide / step[:, None]).round().clamp(-127, 127).to(torch.int8)
    return whole, step


class Int8Linear(nn.Module):
    """A linear layer whose weight is stored in 8 bits."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        whole, step = quantize_rows(linear.weight)
        self.register_buffer("whole", whole)
        self.register_buffer("step", step)
        self.bias = None if linear.bias is None else nn.Parameter(linear.bias.detach().clone())

    def forward(self, x: Tensor) -> Tensor:
        kind = x.dtype
        wide, rows = x.to(kind), max(1, len(self.whole) // 8)
        parts = [
            (wide @ whole.to(kind).T) * step.to(kind)
            for whole, step in zip(self.whole.split(rows), self.step.split(rows), strict=True)
        ]
        result = torch.cat(parts, dim=-1)
        return (result if self.bias is None else result + self.bias).to(x.dtype)
