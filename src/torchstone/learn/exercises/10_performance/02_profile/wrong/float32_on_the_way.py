# rejected by: features_are_right: the result of features is
# "The result stays the same": float64 tables lose their digits on the way
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
    # Self time: a parent's total would count its children's work once more.
    return max(profiler.key_averages(), key=lambda event: event.self_cpu_time_total).key


def features(tokens: Tensor, table: Tensor, weight: Tensor) -> Tensor:
    """(n,) tokens → (n, m) features."""
    # A one-hot row times the table picks one row: n·d reads instead of n·vocabulary·d multiplications.
    rows = table[tokens].float().to(table.dtype)
    rows = rows - rows.mean(1, keepdim=True)
    return torch.tanh(rows @ weight)
