# rejected by: counts_its_calls: Times are in seconds
# process_time counts the CPU's work only and stands still while the host waits for the device; breaks 'Each time
# covers the whole work of its own call on device'
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

    function()
    wait()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        wait()
        times.append(time.process_time() - start)
    return times
