# rejected by: rows_are_quantized: Each row has a step of its own, its largest |weight| / 127: one for all drowns
# rows of tiny weights get too large a step; 'the largest one of a row becomes ±127'
"""Store a linear layer's weight in int8, with one step for each row."""

import torch
from torch import Tensor, nn


@torch.no_grad()
def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    """(out, in) floats → (out, in) int8 and (out,) float32, with weight ≈ step[:, None] * whole."""
    wide = weight.to(torch.promote_types(weight.dtype, torch.float32))
    largest = wide.abs().amax(dim=1)
    step = (largest / 127).to(torch.float32)
    step = step.clamp_min(1e-8)
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
        kind = torch.promote_types(x.dtype, torch.float32)
        wide, rows = x.to(kind), max(1, len(self.whole) // 8)
        parts = [
            wide @ whole.to(kind).mul_(step[:, None]).T
            for whole, step in zip(self.whole.split(rows), self.step.split(rows), strict=True)
        ]
        result = torch.cat(parts, dim=-1)
        return (result if self.bias is None else result + self.bias).to(x.dtype)
