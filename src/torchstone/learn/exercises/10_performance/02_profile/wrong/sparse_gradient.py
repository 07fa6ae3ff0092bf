# rejected by: features_are_right: what your code returned can't be used
# the gradient of table is a sparse tensor; breaks 'dense ones'
"""Find the op that takes the time, and do without it."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.profiler import ProfilerActivity, profile


def hottest(function: Callable[[], Any]) -> str:
    """The name of the op with the most CPU time of its own in one call of `function`."""
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        function()
    times: Counter[str] = Counter()
    for event in profiler.events():
        times[event.name] += event.self_cpu_time_total
    return times.most_common(1)[0][0]


def features(tokens: Tensor, table: Tensor, weight: Tensor) -> Tensor:
    """(n,) tokens → (n, m) features."""
    rows = torch.nn.functional.embedding(tokens, table, sparse=True)
    rows = rows - rows.mean(1, keepdim=True)
    return torch.tanh(rows @ weight)
