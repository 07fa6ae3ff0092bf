# rejected by: features_are_fast: A row with a single 1 times a table is one row of the
# computes the features of the whole vocabulary, also for few tokens; "replace it by one that does only the work that
# is needed"
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
    rows = table - table.mean(1, keepdim=True)
    return torch.tanh(rows @ weight)[tokens]
