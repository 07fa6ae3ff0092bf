# rejected by: graphs_are_counted: Unsupported: Call to `torch._dynamo.graph_break()`
# fullgraph=True makes a function that breaks into several graphs an error; "return how many graphs were compiled"
"""Count what torch.compile compiles, and mend a module that it compiles again and again."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn


def count_graphs(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> int:
    """How many graphs torch.compile makes of `function` for these calls."""
    graphs = []

    def backend(graph: torch.fx.GraphModule, inputs: list[Tensor]) -> Callable[..., Any]:
        graphs.append(graph)
        return graph.forward

    torch._dynamo.reset()
    compiled = torch.compile(function, backend=backend, fullgraph=True)
    for arguments in calls:
        compiled(*arguments)
    return len(graphs)


class RunningMean(nn.Module):
    """Subtracts the mean of all rows seen so far."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            rows = x.detach()
            self.count.add_(rows.shape[0])
            share = (rows.shape[0] / self.count).to(rows.dtype)
            self.mean.copy_(torch.lerp(self.mean, rows.mean(0), share))
        return x - self.mean
