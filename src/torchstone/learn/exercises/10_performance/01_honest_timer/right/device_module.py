# earns: solved
# get_device_module's synchronize, bound once; one loop that throws its first time away
"""Time a function on a device that works asynchronously."""

import time
from collections.abc import Callable
from typing import Any

import torch


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    device = torch.device(device)
    wait = (lambda: None) if device.type == "cpu" else lambda: torch.get_device_module(device).synchronize(device)
    times = []
    for _ in range(repeats + 1):
        wait()
        start = time.perf_counter_ns()
        function()
        wait()
        times.append((time.perf_counter_ns() - start) / 1e9)
    return times[1:]
