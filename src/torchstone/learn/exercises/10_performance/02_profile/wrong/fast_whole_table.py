# rejected by: features_are_fast: A row with a single 1 times a table is one row of the table
# "replace it by one that does only the work that is needed": the features of the whole vocabulary are made, and then
# rows of them chosen
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
    centred = table - table.mean(1, keepdim=True)
    return torch.tanh(centred @ weight)[tokens]
