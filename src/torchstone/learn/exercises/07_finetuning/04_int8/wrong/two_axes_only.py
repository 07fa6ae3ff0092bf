# rejected by: outputs_stay_within_the_bound: ValueError
# 'forward(x) takes (..., in)': the rows are written into a (batch, out) buffer
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
        batch, _ = x.shape
        out = len(self.whole)
        y = torch.empty(batch, out, device=x.device)
        size = max(1, out // 4)
        for i in range(0, out, size):
            y[:, i : i + size] = x.float() @ self.whole[i : i + size].float().T * self.step[i : i + size]
        if self.bias is not None:
            y = y + self.bias
        return y.to(x.dtype)
