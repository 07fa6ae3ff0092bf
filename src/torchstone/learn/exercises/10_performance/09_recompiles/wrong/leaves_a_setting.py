# rejected by: settings_are_left_alone: changed torch._dynamo.config
# leaves a setting of torch changed; "Torch's settings stay as they are"
"""Count what torch.compile compiles, and mend a module that it compiles again and again."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn


def count_graphs(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> int:
    """How many graphs torch.compile makes of `function` for these calls."""
    import torch._dynamo

    torch._dynamo.reset()
    torch._dynamo.config.capture_scalar_outputs = True
    graphs = 0

    def backend(graph: Any, inputs: Any) -> Any:
        nonlocal graphs
        graphs += 1
        return graph.forward

    compiled = torch.compile(function, backend=backend)
    for arguments in calls:
        compiled(*arguments)
    return graphs


class RunningMean(nn.Module):
    """Subtracts the mean of all rows seen so far."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            x_ = x.detach()
            self.count += len(x_)
            self.mean += (x_ - self.mean).sum(0) / self.count
        return x - self.mean
