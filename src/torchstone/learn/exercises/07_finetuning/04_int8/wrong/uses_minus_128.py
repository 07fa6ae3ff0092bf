# rejected by: rows_are_quantized: int8 ends at 127, and 128 wraps round to −128: the largest weight of
# 'every weight of the row fits between −127 and 127': an asymmetric range −128 … 127 with step = span / 255
"""Store a linear layer's weight in int8, with one step for each row."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    exact = weight.detach().float()
    low, high = exact.amin(1), exact.amax(1)
    step = torch.maximum(high / 127, -low / 128).clamp(min=torch.finfo(torch.float32).tiny)
    return (exact / step[:, None]).round().clamp(-128, 127).to(torch.int8), step


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
