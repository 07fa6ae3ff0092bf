# rejected by: features_are_fast: A row with a single 1 times a table is one row of the table: look it
# works out the features of every row of the table, whatever tokens come; "replace it by one that does only the work
# that is needed"
"""Find the op that takes the time, and do without it."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.profiler import ProfilerActivity, profile


def hottest(function: Callable[[], Any]) -> str:
    """The name of the op with the most CPU time of its own in one call of `function`."""
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        function()
    return max(profiler.key_averages(), key=lambda entry: entry.self_cpu_time_total).key


def features(tokens: Tensor, table: Tensor, weight: Tensor) -> Tensor:
    """(n,) tokens → (n, m) features."""
    rows = table - table.mean(1, keepdim=True)
    return torch.tanh(rows @ weight)[tokens]
