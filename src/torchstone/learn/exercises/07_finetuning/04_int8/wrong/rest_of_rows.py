# rejected by: outputs_stay_within_the_bound: y = (x @ whole.T) · step + bias
# 'returns (..., out)': rows beyond a multiple of the block are never computed and stay 0
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
        self.register_buffer("bias", None if linear.bias is None else linear.bias.detach().clone())

    def forward(self, x: Tensor) -> Tensor:
        out = self.whole.shape[0]
        size = max(1, out // 4)
        y = torch.zeros(*x.shape[:-1], out, device=x.device)
        for block in range(out // size if out % size == 0 else 4):
            rows = slice(block * size, (block + 1) * size)
            y[..., rows] = x.float() @ (self.whole[rows].float() * self.step[rows, None]).T
        if self.bias is not None:
            y = y + self.bias
        return y.to(x.dtype)
