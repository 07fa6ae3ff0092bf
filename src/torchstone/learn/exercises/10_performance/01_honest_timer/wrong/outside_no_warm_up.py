# rejected by: counts_its_calls: One call to warm up
# "it calls `function()` once to warm up": the first call is measured
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

    return [once() for _ in range(repeats)]
