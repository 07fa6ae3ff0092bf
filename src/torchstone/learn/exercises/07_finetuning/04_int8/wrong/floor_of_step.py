# rejected by: rows_are_quantized: Each row has a step of its own, its largest |weight| /
# steps are at least 1e-6, so a row of tiny weights loses them; 'Steps are as small as they can be', 'the largest one
# of a row becomes ±127'
"""Store a linear layer's weight in int8, with one step for each row."""

import torch
from torch import Tensor, nn


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    """(out, in) floats → (out, in) int8 and (out,) float32, with weight ≈ step[:, None] * whole."""
    weight = weight.detach().float()
    step = weight.abs().amax(1) / 127
    step = step.clamp(min=1e-6)
    return (weight / step[:, None]).round().clamp(-127, 127).to(torch.int8), step


class Int8Linear(nn.Module):
    """A linear layer whose weight is stored in 8 bits."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        whole, step = quantize_rows(linear.weight)
        self.register_buffer("whole", whole)
        self.register_buffer("step", step)
        self.bias = None if linear.bias is None else nn.Parameter(linear.bias.detach().clone())

    def forward(self, x: Tensor) -> Tensor:
        rows = max(1, min(64, len(self.whole) // 4))
        parts = []
        for whole, step in zip(self.whole.split(rows), self.step.split(rows), strict=True):
            parts.append(x @ (whole.to(x.dtype) * step.to(x.dtype)[:, None]).T)
        out = torch.cat(parts, -1)
        return out if self.bias is None else out + self.bias.to(x.dtype)
