# rejected by: each_call_has_its_own_time: Each time is that of one call
# "Each time covers the whole work of its own call": waits once, and shares the total out evenly
"""Time a function on a device that works asynchronously."""

import time
from collections.abc import Callable
from typing import Any

import torch


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    """Seconds of each of `repeats` calls, after one to warm up."""
    device = torch.device(device)
    module = torch.get_device_module(device.type)

    def stamp() -> float:
        if device.type != "cpu":
            try:
                module.synchronize(device)
            except TypeError:
                module.synchronize()
        return time.perf_counter()

    def once() -> float:
        begin = stamp()
        function()
        return stamp() - begin

    function()
    begin = stamp()
    for _ in range(repeats):
        function()
    return [(stamp() - begin) / max(repeats, 1)] * repeats
