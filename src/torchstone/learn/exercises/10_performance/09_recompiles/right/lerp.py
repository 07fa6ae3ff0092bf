# earns: solved lean
# nn.Buffer, lerp and copy_; a backend that is an object
"""Count what torch.compile compiles, and mend a module that it compiles again and again."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn


class Counter:
    """A backend that runs a graph as it is."""

    def __init__(self) -> None:
        self.graphs = 0

    def __call__(self, graph: torch.fx.GraphModule, inputs: list[Tensor]) -> Callable[..., Any]:
        self.graphs += 1
        return graph


def count_graphs(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> int:
    """How many graphs torch.compile makes of `function` for these calls."""
    torch._dynamo.reset()
    counter = Counter()
    compiled = torch.compile(function, backend=counter)
    for arguments in calls:
        compiled(*arguments)
    return counter.graphs


class RunningMean(nn.Module):
    """Subtracts the mean of all rows seen so far."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.mean = nn.Buffer(torch.zeros(width))
        self.count = nn.Buffer(torch.tensor(0))

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            rows = x.detach()
            total = self.count + len(rows)
            share = (total - self.count) / total
            self.mean.copy_(torch.lerp(self.mean, rows.mean(0), share))
            self.count.copy_(total)
        return x - self.mean
