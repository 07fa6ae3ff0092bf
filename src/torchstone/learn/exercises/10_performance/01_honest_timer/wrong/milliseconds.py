# rejected by: leaves_the_first_call_out: longest time is
"""Time a function on a device that works asynchronously."""

import time
from collections.abc import Callable
from typing import Any

import torch


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    """Seconds of each of `repeats` calls, after one to warm up."""
    synchronize = torch.get_device_module(device).synchronize
    function()
    synchronize()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        synchronize()
        times.append((time.perf_counter() - start) * 1000)
    return times
