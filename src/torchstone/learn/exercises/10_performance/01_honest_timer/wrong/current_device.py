# rejected by: waits_for_the_device_that_is_named: Without an argument synchronize waits for the current
# waits for the current device of that kind, whatever index was asked for; "Each time covers the whole work of its own
# call on `device`"
"""Time a function on a device that works asynchronously."""

import time
from collections.abc import Callable
from typing import Any

import torch


def wait(device: torch.device) -> None:
    """Until the device has done all that was asked for."""
    if device.type != "cpu":
        torch.get_device_module(device).synchronize()


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    """Seconds of each of `repeats` calls, after one to warm up."""
    function()
    times = []
    for _ in range(repeats):
        wait(device)
        start = time.perf_counter()
        function()
        wait(device)
        times.append(time.perf_counter() - start)
    return times
