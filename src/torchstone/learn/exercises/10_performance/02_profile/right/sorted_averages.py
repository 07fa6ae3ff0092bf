# earns: solved
# key_averages sorted; index_select for the lookup
"""Find the op that takes the time, and do without it."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.profiler import ProfilerActivity, profile


def hottest(function: Callable[[], Any]) -> str:
    profiler = profile(activities=[ProfilerActivity.CPU])
    profiler.start()
    try:
        function()
    finally:
        profiler.stop()
    entries = [entry for entry in profiler.key_averages() if entry.key.count("::") == 1]
    entries.sort(key=lambda entry: entry.self_cpu_time_total, reverse=True)
    return entries[0].key


def features(tokens: Tensor, table: Tensor, weight: Tensor) -> Tensor:
    picked = torch.index_select(table, 0, tokens % table.shape[0])
    return torch.tanh((picked - picked.mean(1, keepdim=True)) @ weight)
