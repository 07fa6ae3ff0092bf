"""Count what torch.compile compiles, and mend a module that it compiles again and again."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn


def count_graphs(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> int:
    """How many graphs torch.compile makes of `function` for these calls."""
    # TODO: a backend of your own that counts
    raise NotImplementedError("count_graphs")


class RunningMean(nn.Module):
    """Subtracts the mean of all rows seen so far."""

    def __init__(self, width: int) -> None:
        super().__init__()
        # TODO: Python values that change are assumptions of the graph
        self.count = 0
        self.mean = [0.0] * width

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            self.count += len(x)
            sums = x.detach().sum(0).tolist()
            share = len(x) / self.count
            self.mean = [m * (1 - share) + s / self.count for m, s in zip(self.mean, sums, strict=True)]
        return x - torch.tensor(self.mean, dtype=x.dtype, device=x.device)
