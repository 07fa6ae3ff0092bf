# earns: solved lean
# a backend that is an object, and a lerp towards the batch's mean
"""Count what torch.compile compiles, and mend a module that it compiles again and again."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn


def count_graphs(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> int:
    """How many graphs torch.compile makes of `function` for these calls."""
    torch._dynamo.reset()
    graphs: list[int] = []
    compiled = torch.compile(function, backend=lambda graph, inputs: graphs.append(len(inputs)) or graph.forward)
    for arguments in calls:
        compiled(*arguments)
    return len(graphs)


class RunningMean(nn.Module):
    """Subtracts the mean of all rows seen so far."""

    mean: Tensor
    count: Tensor

    def __init__(self, width: int) -> None:
        super().__init__()
        self.mean = nn.Buffer(torch.zeros(width))
        self.count = nn.Buffer(torch.tensor(0))

    @torch.no_grad()
    def take_in(self, rows: Tensor) -> None:
        self.count.add_(len(rows))
        share = len(rows) / self.count
        self.mean.copy_(self.mean.lerp(rows.mean(0).to(self.mean.dtype), share.to(self.mean.dtype)))

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            self.take_in(x)
        return x - self.mean.to(x.dtype)
