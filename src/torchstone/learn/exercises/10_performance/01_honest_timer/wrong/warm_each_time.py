# rejected by: counts_its_calls: One call to warm up, then one call a time.
# warms up before every measured call; "it calls `function()` once to warm up, then `repeats` times"
"""Time a function on a device that works asynchronously."""

import time
from collections.abc import Callable
from typing import Any

import torch


def wait(device: torch.device) -> None:
    """Until the device has done all that was asked for."""
    if device.type != "cpu":
        torch.get_device_module(device).synchronize(device)


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    """Seconds of each of `repeats` calls, after one to warm up."""
    times = []
    if repeats == 0:
        function()
    for _ in range(repeats):
        function()
        wait(device)
        start = time.perf_counter()
        function()
        wait(device)
        times.append(time.perf_counter() - start)
    return times
