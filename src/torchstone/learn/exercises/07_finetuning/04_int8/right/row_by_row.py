# earns: solved lean
"""Store a linear layer's weight in int8, with one step for each row."""

import torch
from torch import Tensor, nn


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    wholes, steps = [], []
    for row in weight.detach().float():
        largest = row.abs().max()
        step = torch.where(largest > 0, largest / 127, torch.ones_like(largest))
        wholes.append(torch.round(row / step).to(torch.int8))
        steps.append(step)
    return torch.stack(wholes), torch.stack(steps)


class Int8Linear(nn.Module):
    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        whole, step = quantize_rows(linear.weight)
        self.register_buffer("whole", whole)
        self.register_buffer("step", step)
        if linear.bias is None:
            self.register_parameter("bias", None)
        else:
            self.bias = nn.Parameter(linear.bias.detach().clone())

    def forward(self, x: Tensor) -> Tensor:
        wide = x if x.dtype == torch.float64 else x.float()
        columns = []
        for i in range(self.whole.shape[0]):
            column = (wide * self.whole[i].to(wide.dtype)).sum(-1) * self.step[i].to(wide.dtype)
            if self.bias is not None:
                column = column + self.bias[i].to(wide.dtype)
            columns.append(column)
        return torch.stack(columns, dim=-1).to(x.dtype)
