# rejected by: output_is_that_of_the_stored_numbers: register_buffer puts a tensor into the state dict and lets it move
# the step is a buffer that is not in the state dict; 'It holds the buffers `whole` and `step` (so that they move with
# `.to(device)` and are saved)'
"""Store a linear layer's weight in int8, with one step for each row."""

import torch
from torch import Tensor, nn


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    """(out, in) floats → (out, in) int8 and (out,) float32, with weight ≈ step[:, None] * whole."""
    weight = weight.detach().float()
    step = weight.abs().amax(1) / 127
    step = torch.where(step > 0, step, torch.ones_like(step))
    return (weight / step[:, None]).round().clamp(-127, 127).to(torch.int8), step


class Int8Linear(nn.Module):
    """A linear layer whose weight is stored in 8 bits."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        whole, step = quantize_rows(linear.weight)
        self.register_buffer("whole", whole)
        self.register_buffer("step", step, persistent=False)
        self.bias = None if linear.bias is None else nn.Parameter(linear.bias.detach().clone())

    def forward(self, x: Tensor) -> Tensor:
        rows = max(1, min(64, len(self.whole) // 4))
        parts = []
        for whole, step in zip(self.whole.split(rows), self.step.split(rows), strict=True):
            parts.append(x @ (whole.to(x.dtype) * step.to(x.dtype)[:, None]).T)
        out = torch.cat(parts, -1)
        return out if self.bias is None else out + self.bias.to(x.dtype)
