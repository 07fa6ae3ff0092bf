# earns: solved lean
# a list of graphs as the counter; lerp towards the batch's mean
"""Count what torch.compile compiles, and mend a module that it compiles again and again."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn


def count_graphs(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> int:
    """How many graphs torch.compile makes of `function` for these calls."""
    torch._dynamo.reset()
    graphs: list[torch.fx.GraphModule] = []

    def note(graph: torch.fx.GraphModule, _examples: list[Tensor]) -> Callable[..., Any]:
        graphs.append(graph)
        return graph.forward

    run = torch.compile(function, backend=note)
    for call in calls:
        run(*call)
    return len(graphs)


class RunningMean(nn.Module):
    """Subtracts the mean of all rows seen so far."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            with torch.no_grad():
                self.count.add_(x.shape[0])
                share = x.shape[0] / self.count
                self.mean.copy_(torch.lerp(self.mean, x.mean(dim=0), share.to(self.mean.dtype)))
        return x - self.mean
