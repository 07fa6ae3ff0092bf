# earns: solved
# start/stop and a sort; index_select
"""Find the op that takes the time, and do without it."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.profiler import ProfilerActivity, profile


def hottest(function: Callable[[], Any]) -> str:
    """The name of the op with the most CPU time of its own in one call of `function`."""
    profiler = profile(activities=[ProfilerActivity.CPU])
    profiler.start()
    try:
        function()
    finally:
        profiler.stop()
    entries = sorted(profiler.key_averages(), key=lambda entry: -entry.self_cpu_time_total)
    return entries[0].key


def features(tokens: Tensor, table: Tensor, weight: Tensor) -> Tensor:
    """(n,) tokens → (n, m) features."""
    rows = table.index_select(0, tokens)
    rows = rows - rows.mean(1, keepdim=True)
    return torch.tanh(torch.mm(rows, weight))
