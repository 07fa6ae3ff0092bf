# rejected by: waits_for_the_work: The call only queued its work
# "Each time covers the whole work of its own call on device": the clock stops before the work is done
"""Time a function on a device that works asynchronously."""

import time
from collections.abc import Callable
from typing import Any

import torch


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    """Seconds of each of `repeats` calls, after one to warm up."""
    wait = torch.get_device_module(device).synchronize
    function()
    times = []
    for _ in range(repeats):
        wait()
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return times
