# rejected by: counts_its_calls: One call to warm up
# 'it calls `function()` once to warm up, then `repeats` times': there is no warm-up
"""Time a function on a device that works asynchronously."""

import time
from collections.abc import Callable
from typing import Any

import torch


def wait(device: torch.device) -> None:
    if device.type != "cpu":
        torch.accelerator.synchronize(device)


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    times = []
    wait(device)
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        wait(device)
        times.append(time.perf_counter() - start)
    return times
