# rejected by: output_is_that_of_the_stored_numbers: register_buffer puts a tensor into the state dict and lets it move
# 'and are saved': the buffers are not persistent
"""Store a linear layer's weight in int8, with one step for each row."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    exact = weight.detach().float()
    step = exact.abs().amax(1) / 127
    step = torch.where(step > 0, step, torch.ones_like(step))
    whole = (exact / step[:, None]).round().clamp(-127, 127).to(torch.int8)
    return whole, step


class Int8Linear(nn.Module):
    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        whole, step = quantize_rows(linear.weight)
        self.register_buffer("whole", whole, persistent=False)
        self.register_buffer("step", step, persistent=False)
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
