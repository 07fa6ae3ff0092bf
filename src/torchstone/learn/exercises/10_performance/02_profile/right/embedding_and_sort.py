# earns: solved fast
# sorts the averages; rows by functional.embedding
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
    entries = sorted(profiler.key_averages(), key=lambda entry: -entry.self_cpu_time_total)
    return entries[0].key


def features(tokens: Tensor, table: Tensor, weight: Tensor) -> Tensor:
    """(n,) tokens → (n, m) features."""
    rows = torch.nn.functional.embedding(tokens, table)
    return rows.sub(rows.mean(dim=1).unsqueeze(1)).mm(weight).tanh()
