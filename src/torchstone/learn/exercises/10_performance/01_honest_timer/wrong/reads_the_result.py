# rejected by: waits_for_the_work: The call only queued its work
# 'covers the whole work of its own call on `device`': the result is read instead of waiting for the device; a
# function that returns nothing is not waited for
"""Time a function on a device that works asynchronously."""

import time
from collections.abc import Callable
from typing import Any

import torch


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    def finish(result: Any) -> None:
        if isinstance(result, torch.Tensor):
            result.cpu()

    finish(function())
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        finish(function())
        times.append(time.perf_counter() - start)
    return times
