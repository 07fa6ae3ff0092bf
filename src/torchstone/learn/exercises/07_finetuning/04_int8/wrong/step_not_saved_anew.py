# rejected by: output_is_that_of_the_stored_numbers: register_buffer puts a tensor into the state dict and lets it move wit
# step is a buffer with persistent=False; breaks 'so that they move and are saved': it is not in the state dict
"""Store a linear layer's weight in int8, with one step for each row."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    """(out, in) floats → (out, in) int8 and (out,) float32, with weight ≈ step[:, None] * whole."""
    weight = weight.detach()
    if weight.dtype != torch.float64:
        weight = weight.float()
    step = (weight.abs().amax(1) / 127).float()
    step = torch.where(step > 0, step, torch.ones_like(step))
    whole = (weight / step[:, None]).round().clamp(-127, 127)
    return whole.to(torch.int8), step


class Int8Linear(nn.Module):
    """A linear layer whose weight is stored in 8 bits."""

    rows = 16

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        whole, step = quantize_rows(linear.weight)
        self.register_buffer("whole", whole)
        self.register_buffer("step", step, persistent=False)
        self.register_buffer("bias", None if linear.bias is None else linear.bias.detach().clone())

    def forward(self, x: Tensor) -> Tensor:
        wide = torch.promote_types(x.dtype, torch.float32)
        inputs = x.to(wide)
        results = []
        for whole, step in zip(self.whole.split(self.rows), self.step.split(self.rows)):
            results.append(functional.linear(inputs, whole.to(wide) * step[:, None].to(wide)))
        result = torch.cat(results, -1)
        if self.bias is not None:
            result = result + self.bias.to(wide)
        return result.to(x.dtype)
