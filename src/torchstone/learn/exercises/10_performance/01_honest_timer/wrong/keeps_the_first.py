# rejected by: each_call_has_its_own_time: Each time is that of one call
# makes repeats + 1 calls and throws the last time away instead of the first; breaks 'calls function() once to warm
# up' for a function whose first call is slow
"""Time a function on a device that works asynchronously."""

import time
from collections.abc import Callable
from typing import Any

import torch


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    """Seconds of each of `repeats` calls, after one to warm up."""

    def wait() -> None:
        if device.type != "cpu":
            torch.accelerator.synchronize(device)

    wait()
    times = []
    for _ in range(repeats + 1):
        start = time.perf_counter()
        function()
        wait()
        times.append(time.perf_counter() - start)
    return times[:repeats]
