# earns: solved lean
"""Count what torch.compile compiles, and mend a module that it compiles again and again."""

from collections.abc import Callable
from typing import Any

import torch
import torch._dynamo.testing
from torch import Tensor, nn


def count_graphs(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> int:
    """How many graphs torch.compile makes of `function` for these calls."""
    torch.compiler.reset()
    counter = torch._dynamo.testing.CompileCounter()
    compiled = torch.compile(function, backend=counter)
    for call in calls:
        compiled(*call)
    return counter.frame_count


class RunningMean(nn.Module):
    """Subtracts the mean of all rows seen so far."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.mean = nn.Buffer(torch.zeros(width))
        self.count = nn.Buffer(torch.tensor(0))

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            rows = x.detach().to(self.mean.dtype)
            count = self.count + rows.shape[0]
            share = rows.shape[0] / count.clamp(min=1).to(rows.dtype)
            total = rows.sum(0)
            self.mean = self.mean * (1 - share) + total / count.clamp(min=1)
            self.count = count
        return x - self.mean.to(x.dtype)
