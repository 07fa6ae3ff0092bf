# rejected by: names_the_hot_op: What counts is the time of all calls of an op together
# the single longest event and not the sum of all of a name: an op called 1,000 times loses to another called once;
# breaks 'the op that spent the most time itself'
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
    return max(profiler.events(), key=lambda event: event.self_cpu_time_total).name


def features(tokens: Tensor, table: Tensor, weight: Tensor) -> Tensor:
    """(n,) tokens → (n, m) features."""
    rows = torch.nn.functional.embedding(tokens, table)
    rows = rows - rows.mean(1, keepdim=True)
    return torch.tanh(rows @ weight)
