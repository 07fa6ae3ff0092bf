# earns: solved lean
# a callable object as the backend; new buffers assigned from weighted means in float64
"""Count what torch.compile compiles, and mend a module that it compiles again and again."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn


class Counter:
    """A backend that counts how often it is called."""

    def __init__(self) -> None:
        self.graphs = 0

    def __call__(self, graph: torch.fx.GraphModule, inputs: list[Tensor]) -> Callable[..., Any]:
        self.graphs += 1
        return graph.forward


def count_graphs(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> int:
    """How many graphs torch.compile makes of `function` for these calls."""
    torch._dynamo.reset()
    counter = Counter()
    compiled = torch.compile(backend=counter)(function)
    for arguments in calls:
        compiled(*arguments)
    return counter.graphs


class RunningMean(nn.Module):
    """Subtracts the mean of all rows seen so far."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))

    def forward(self, x: Tensor) -> Tensor:
        if not self.training:
            return x - self.mean
        rows = x.detach()
        count = self.count + rows.size(0)
        total = self.mean.double() * self.count + rows.double().sum(0)
        self.mean = (total / count).to(self.mean.dtype)
        self.count = count
        return x.sub(self.mean)
