# rejected by: features_are_right: The table and the weight are trained
# '`features` as before': the lookup is detached, table gets no gradient any more
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
    rows = table.detach()[tokens]
    rows = rows - rows.mean(1, keepdim=True)
    return torch.tanh(rows @ weight)
