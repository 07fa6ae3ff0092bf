# rejected by: half_precision_does_not_overflow: float16 ends at 65
# "nothing on the way may overflow where the output does not": sums of whole numbers overflow in float16 before the
# step makes them small
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
        rows = max(1, len(self.whole) // 8)
        parts = []
        for whole, step in zip(self.whole.split(rows), self.step.split(rows)):
            parts.append((x @ whole.to(x.dtype).T).to(wide) * step.to(wide))
        out = torch.cat(parts, -1)
        if self.bias is not None:
            out = out + self.bias
        return out.to(x.dtype)
