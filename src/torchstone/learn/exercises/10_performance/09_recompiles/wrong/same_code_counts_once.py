# rejected by: graphs_are_counted: each of them counts
# two graphs with the same code count as one; "return how many graphs were compiled"
"""Count what torch.compile compiles, and mend a module that it compiles again and again."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn


def count_graphs(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> int:
    """How many graphs torch.compile makes of `function` for these calls."""
    codes: set[str] = set()

    def backend(graph: torch.fx.GraphModule, inputs: Any) -> Callable[..., Any]:
        codes.add(graph.code)
        return graph.forward

    torch._dynamo.reset()
    compiled = torch.compile(function, backend=backend)
    for arguments in calls:
        compiled(*arguments)
    return len(codes)


class RunningMean(nn.Module):
    """Subtracts the mean of all rows seen so far."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            self.count += x.shape[0]
            self.mean += (x.detach() - self.mean).sum(0) / self.count
        return x - self.mean
