# rejected by: few_floats_at_a_time: whole.to(x.dtype) is the float matrix again
# 'the forward pass never has more than half of the matrix in floats at one time': it is turned back as one
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

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        weight = self.whole.to(wide.dtype) * self.step.to(wide.dtype)[:, None]
        bias = None if self.bias is None else self.bias.to(wide.dtype)
        return functional.linear(wide, weight, bias).to(x.dtype)
