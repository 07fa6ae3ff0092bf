# rejected by: leaves_the_first_call_out: The first call compiles and loads: make it
# nobody waits after the warm-up, so the first time covers its work and what was queued before
"""Time a function on a device that works asynchronously."""

import time
from collections.abc import Callable
from typing import Any

import torch


def wait(device: torch.device) -> None:
    """Return when `device` has done all its work."""
    if device.type != "cpu":
        torch.accelerator.synchronize(device)


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    """Seconds of each of `repeats` calls, after one to warm up."""
    function()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        wait(device)
        times.append(time.perf_counter() - start)
    return times
