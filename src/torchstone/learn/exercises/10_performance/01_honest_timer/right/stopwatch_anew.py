# earns: solved
# a class whose clock waits for the device first
"""Time a function on a device that works asynchronously."""

import time
from collections.abc import Callable
from typing import Any

import torch


class Stopwatch:
    """Waits for the device before it looks at the clock."""

    def __init__(self, device: torch.device) -> None:
        self.device = device

    def now(self) -> int:
        if self.device.type != "cpu":
            torch.accelerator.synchronize(self.device)
        return time.perf_counter_ns()


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    """Seconds of each of `repeats` calls, after one to warm up."""
    watch = Stopwatch(device)
    function()
    times = []
    while len(times) < repeats:
        begin = watch.now()
        function()
        times.append((watch.now() - begin) / 1e9)
    return times
