# rejected by: rows_of_zeros_stay_zeros: A row of zeros has the step
# the step of a row of zeros is 0; promised: "A row of zeros stays zeros; its step, like every other, is a positive
# number"
"""Store a linear layer's weight in int8, with one step for each row."""

import torch
from torch import Tensor, nn


@torch.no_grad()
def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    """(out, in) floats → (out, in) int8 and (out,) float32, with weight ≈ step[:, None] * whole."""
    wide = weight.to(torch.promote_types(weight.dtype, torch.float32))
    step = (torch.maximum(wide.amax(1), -wide.amin(1)) / 127).to(torch.float32)
    whole = wide.div(step.unsqueeze(1)).nan_to_num_(0.0).round_().clamp_(-127, 127)
    return whole.to(torch.int8), step


class Int8Linear(nn.Module):
    """A linear layer whose weight is stored in 8 bits."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        whole, step = quantize_rows(linear.weight)
        self.register_buffer("whole", whole)
        self.register_buffer("step", step)
        self.bias = None if linear.bias is None else nn.Parameter(linear.bias.detach().clone())

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        run = max(1, len(self.whole) // 8)
        parts = []
        for whole, step in zip(self.whole.split(run), self.step.split(run)):
            parts.append((wide @ whole.to(wide.dtype).T) * step)
        result = torch.cat(parts, dim=-1)
        if self.bias is not None:
            result = result + self.bias
        return result.to(x.dtype)
