# rejected by: names_the_hot_op: One call is enough
# calls the function a first time to warm up; breaks 'calls function() once' for a function that counts its calls
"""Find the op that takes the time, and do without it."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.profiler import ProfilerActivity, profile


def hottest(function: Callable[[], Any]) -> str:
    """The name of the op with the most CPU time of its own in one call of `function`."""
    function()  # the first call of anything is slow
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
