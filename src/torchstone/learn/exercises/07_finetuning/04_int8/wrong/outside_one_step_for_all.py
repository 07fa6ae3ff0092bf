# rejected by: rows_are_quantized: Each row has a step of its own
# 'Each row of the matrix gets a step of its own ... the largest one of a row becomes ±127': one step for the whole
# matrix, expanded
"""Store a linear layer's weight in int8, with one step for each row."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    exact = weight.detach().float()
    step = (exact.abs().max() / 127).clamp(min=1e-12)
    whole = (exact / step).round().to(torch.int8)
    return whole, step.expand(len(weight)).clone()


class Int8Linear(nn.Module):
    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        whole, step = quantize_rows(linear.weight)
        self.register_buffer("whole", whole)
        self.register_buffer("step", step)
        self.bias = None if linear.bias is None else nn.Parameter(linear.bias.detach().clone())

    def forward(self, x: Tensor) -> Tensor:
        rows = max(1, len(self.whole) // 8)
        inner = torch.promote_types(x.dtype, torch.float32)
        wide = x.to(inner)
        parts = []
        for whole, step in zip(self.whole.split(rows), self.step.split(rows)):
            parts.append(wide @ whole.to(inner).T * step.to(inner))
        y = torch.cat(parts, -1)
        if self.bias is not None:
            y = y + self.bias
        return y.to(x.dtype)
