# rejected by: features_are_right: the result of features is
# 'The result stays the same': the mean of each column of the chosen rows is taken away instead of each row's
"""Find the op that takes the time, and do without it."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.profiler import ProfilerActivity, profile


def hottest(function: Callable[[], Any]) -> str:
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        function()
    return max(profiler.key_averages(), key=lambda entry: entry.self_cpu_time_total).key


def features(tokens: Tensor, table: Tensor, weight: Tensor) -> Tensor:
    rows = table[tokens]
    rows = rows - rows.mean(0, keepdim=True)
    return torch.tanh(rows @ weight)
