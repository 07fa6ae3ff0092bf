# rejected by: each_call_has_its_own_time: Each time is that of one call: read the clock before and
# measures all calls together and returns the average as often as asked; "Each time covers the whole work of its own
# call on `device`, and no other work"
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
    function()
    wait(device)
    start = time.perf_counter()
    for _ in range(repeats):
        function()
    wait(device)
    return [(time.perf_counter() - start) / max(repeats, 1)] * repeats
