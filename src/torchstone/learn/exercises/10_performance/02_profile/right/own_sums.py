# earns: solved
# own sums over the profiler's events by name
"""Find the op that takes the time, and do without it."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.profiler import ProfilerActivity, profile


def hottest(function: Callable[[], Any]) -> str:
    """The name of the op with the most CPU time of its own in one call of `function`."""
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        function()
    spent: defaultdict[str, float] = defaultdict(float)
    for event in profiler.events():
        if "::" in event.name and not event.is_user_annotation:
            spent[event.name] += event.self_cpu_time_total
    return max(spent, key=lambda name: spent[name])


def features(tokens: Tensor, table: Tensor, weight: Tensor) -> Tensor:
    """(n,) tokens → (n, m) features."""
    rows = table[tokens.long()]
    return torch.mm(rows - rows.mean(1, keepdim=True), weight).tanh()
