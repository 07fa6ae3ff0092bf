# earns: solved
# the events are added up by name in a Counter, without key_averages; embedding lookup by index
"""Find the op that takes the time, and do without it."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.profiler import ProfilerActivity, profile
from collections import Counter


def hottest(function: Callable[[], Any]) -> str:
    with profile(activities=[ProfilerActivity.CPU], record_shapes=False) as profiler:
        function()
    spent: Counter[str] = Counter()
    for event in profiler.events():
        if not event.is_user_annotation and "::" in event.name:
            spent[event.name] += event.self_cpu_time_total
    return spent.most_common(1)[0][0]


def features(tokens: Tensor, table: Tensor, weight: Tensor) -> Tensor:
    rows = table[tokens]
    centred = torch.sub(rows, rows.mean(dim=1, keepdim=True))
    return torch.mm(centred, weight).tanh()
