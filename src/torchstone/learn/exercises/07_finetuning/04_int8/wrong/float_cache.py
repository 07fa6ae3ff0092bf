# rejected by: few_floats_at_a_time: whole.to(x.dtype) is the float matrix again
# 'no float copy of the weight': after the first forward pass the floats are kept for the next one
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
        self.register_buffer("whole", whole)
        self.register_buffer("step", step)
        self.bias = None if linear.bias is None else nn.Parameter(linear.bias.detach().clone())
        self._pieces: list[Tensor] = []

    def forward(self, x: Tensor) -> Tensor:
        if not self._pieces or self._pieces[0].device != x.device:
            size = max(1, len(self.whole) // 8)
            self._pieces = [w.float() * s[:, None] for w, s in zip(self.whole.split(size), self.step.split(size))]
        y = torch.cat([x.float() @ piece.T for piece in self._pieces], -1)
        return (y if self.bias is None else y + self.bias).to(x.dtype)
