# rejected by: leaves_the_first_call_out: The first call compiles and loads: make it once before you measure,
# waits before the warm-up and after each call, so the first time has the warm-up's work in it; "neither the warm-up
# nor what was queued before `measure` was called"
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

    clock()
    function()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(clock() - start)
    return times
