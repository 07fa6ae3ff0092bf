# earns: solved lean
# a class as backend, nn.Buffer, lerp towards the batch's mean
"""Count what torch.compile compiles, and mend a module that it compiles again and again."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn


class Counter:
    """A backend that remembers the graphs it was given and runs them as they are."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def __call__(self, graph: torch.fx.GraphModule, example_inputs: list[Any]) -> Callable[..., Any]:
        self.seen.append(len(example_inputs))
        return graph.forward


def count_graphs(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> int:
    """How many graphs torch.compile makes of `function` for these calls."""
    torch.compiler.reset()
    counter = Counter()
    run = torch.compile(function, backend=counter)
    for call in calls:
        run(*call)
    return len(counter.seen)


class RunningMean(nn.Module):
    """Subtracts the mean of all rows seen so far."""

    mean: Tensor
    count: Tensor

    def __init__(self, width: int) -> None:
        super().__init__()
        self.mean = nn.Buffer(torch.zeros(width, dtype=torch.float32))
        self.count = nn.Buffer(torch.tensor(0, dtype=torch.int64))

    def take_in(self, rows: Tensor) -> None:
        """Move the mean towards that of these rows, by their share of all rows."""
        count = self.count + len(rows)
        share = (len(rows) / count).to(self.mean.dtype)
        self.mean.copy_(torch.lerp(self.mean, rows.mean(0), share))
        self.count.copy_(count)

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            self.take_in(x.detach())
        return x - self.mean.clone()
