# rejected by: counts_its_calls: One call to warm up, then one call a time.
# warms up with two calls; "it calls `function()` once to warm up, then `repeats` times"
"""Time a function on a device that works asynchronously."""

import time
from collections.abc import Callable
from typing import Any

import torch


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    """Seconds of each of `repeats` calls, after one to warm up."""
    device = torch.device(device)

    def wait() -> None:
        if device.type == "cpu":
            return
        synchronize = torch.get_device_module(device).synchronize
        try:
            synchronize(device)
        except TypeError:
            synchronize()

    def clock() -> float:
        wait()
        return time.perf_counter()

    for _ in range(2):
        function()
    times = []
    for _ in range(repeats):
        start = clock()
        function()
        times.append(clock() - start)
    return times
