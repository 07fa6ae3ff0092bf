# earns: solved lean
# whole numbers times x first, the steps on the result
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
        kind = torch.promote_types(x.dtype, torch.float32)
        out, pieces = self.whole.shape[0], []
        wide = x.to(kind)
        for start in range(0, out, max(1, out // 10)):
            some = slice(start, start + max(1, out // 10))
            piece = nn.functional.linear(wide, self.whole[some].to(kind)) * self.step[some]
            pieces.append(piece if self.bias is None else piece + self.bias[some])
        return torch.cat(pieces, dim=-1).to(x.dtype)
