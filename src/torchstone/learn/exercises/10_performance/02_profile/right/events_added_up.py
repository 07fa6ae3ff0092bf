# earns: solved
# adds up the single events by name; embedding and linear
"""Find the op that takes the time, and do without it."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from torch.profiler import ProfilerActivity, profile


def hottest(function: Callable[[], Any]) -> str:
    """The name of the op with the most CPU time of its own in one call of `function`."""
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        function()
    spent: Counter[str] = Counter()
    for event in profiler.events():
        spent[event.name] += event.self_cpu_time_total
    return spent.most_common(1)[0][0]


def features(tokens: Tensor, table: Tensor, weight: Tensor) -> Tensor:
    """(n,) tokens → (n, m) features."""
    rows = functional.embedding(tokens, table)
    centred = rows.sub(rows.mean(dim=-1, keepdim=True))
    return functional.linear(centred, weight.mT).tanh()
