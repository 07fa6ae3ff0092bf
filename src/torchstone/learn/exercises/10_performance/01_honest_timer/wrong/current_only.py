# rejected by: waits_for_the_device_that_is_named: Without an argument synchronize waits for the current device
# waits for the current device and not for the given one; breaks 'also where device is not the current one of
# several', pretend:1 while pretend:0 is current
"""Time a function on a device that works asynchronously."""

import time
from collections.abc import Callable
from typing import Any

import torch


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    """Seconds of each of `repeats` calls, after one to warm up."""

    def wait() -> None:
        if device.type != "cpu":
            torch.accelerator.synchronize()

    function()
    wait()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        wait()
        times.append(time.perf_counter() - start)
    return times
