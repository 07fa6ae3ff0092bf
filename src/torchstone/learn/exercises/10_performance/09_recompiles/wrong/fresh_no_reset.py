# rejected by: what_was_before_does_not_count: torch._dynamo.reset() forgets what was compiled before; else
# the same function counted again has no graphs; 'What was compiled before must not count'
"""Count what torch.compile compiles, and mend a module that it compiles again and again."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch._dynamo.testing import CompileCounter


def count_graphs(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> int:
    """How many graphs torch.compile makes of `function` for these calls."""
    counter = CompileCounter()
    compiled = torch.compile(function, backend=counter)
    for arguments in calls:
        compiled(*arguments)
    return counter.frame_count


class RunningMean(nn.Module):
    """Subtracts the mean of all rows seen so far."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))

    def forward(self, x: Tensor) -> Tensor:
        mean = self.mean
        if self.training:
            rows = x.detach().to(self.mean.dtype)
            self.count.add_(x.shape[0])
            mean = mean + (rows - mean).sum(0) / self.count.clamp(min=1)
            self.mean.copy_(mean.detach())
        return x - mean.to(x.dtype)
