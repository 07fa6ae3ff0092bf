# rejected by: buffers_are_there: self.register_buffer("mean", torch.zeros(width)), and the count
# the count has the shape (1,); "`count`, `()` of int64"
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
    compiled = torch.compile(function, backend=backend)
    for arguments in calls:
        compiled(*arguments)
    return len(graphs)


class RunningMean(nn.Module):
    """Subtracts the mean of all rows seen so far."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("count", torch.zeros(1, dtype=torch.int64))

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            rows = x.detach()
            self.count.add_(rows.shape[0])
            share = (rows.shape[0] / self.count).to(rows.dtype)
            self.mean.copy_(torch.lerp(self.mean, rows.mean(0), share))
        return x - self.mean
