# earns: solved lean
# the product added up over blocks of columns with addmm_, bias as a parameter
"""Store a linear layer's weight in int8, with one step for each row."""

import torch
from torch import Tensor, nn


LIMIT = 127


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    """(out, in) floats → (out, in) int8 and (out,) float32, with weight ≈ step[:, None] * whole."""
    with torch.no_grad():
        wide = weight.to(torch.promote_types(weight.dtype, torch.float32))
        largest = torch.linalg.vector_norm(wide, ord=float("inf"), dim=1)
        largest = largest.masked_fill(largest == 0, LIMIT)
        step = (largest / LIMIT).to(torch.float32)
        whole = torch.round(wide / step.to(wide.dtype).unsqueeze(1))
        return whole.clamp_(-LIMIT, LIMIT).to(torch.int8), step


class Int8Linear(nn.Module):
    """A linear layer whose weight is stored in 8 bits."""

    whole: Tensor
    step: Tensor

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        for name, tensor in zip(("whole", "step"), quantize_rows(linear.weight)):
            self.register_buffer(name, tensor)
        self.bias = linear.bias

    def forward(self, x: Tensor) -> Tensor:
        kind = torch.float64 if x.dtype == torch.float64 else torch.float32
        flat = x.reshape(-1, x.shape[-1]).to(kind)
        result = torch.zeros(len(flat), len(self.step), dtype=kind, device=x.device)
        steps = self.step.to(kind)[:, None]
        at = 0
        for columns in self.whole.split(max(1, self.whole.shape[1] // 8), 1):
            width = columns.shape[1]
            result.addmm_(flat[:, at : at + width], columns.to(kind).mul_(steps).T)
            at += width
        if self.bias is not None:
            result = result + self.bias.to(kind)
        return result.to(x.dtype).reshape(*x.shape[:-1], -1) if len(flat) else x.new_zeros(*x.shape[:-1], len(steps))
