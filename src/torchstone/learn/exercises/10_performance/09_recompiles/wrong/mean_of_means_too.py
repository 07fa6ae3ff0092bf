# rejected by: means_are_right: The mean of all rows so far
# "the mean of all rows that it has ever been given": every batch weighs the same, however many rows
"""Count what torch.compile compiles, and mend a module that it compiles again and again."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn


def count_graphs(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> int:
    """How many graphs torch.compile makes of `function` for these calls."""
    torch._dynamo.reset()
    count = 0

    def backend(graph: torch.fx.GraphModule, inputs: list[Tensor]) -> Callable[..., Any]:
        nonlocal count
        count += 1
        return graph.forward

    compiled = torch.compile(function, backend=backend)
    for arguments in calls:
        compiled(*arguments)
    return count


class RunningMean(nn.Module):
    """Subtracts the mean of all rows seen so far."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            self.count += 1
            self.mean += (x.detach().mean(0) - self.mean) / self.count
        return x - self.mean
