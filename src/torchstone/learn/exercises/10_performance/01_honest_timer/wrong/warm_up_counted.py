# rejected by: leaves_the_first_call_out: The first call compiles and loads
# "and no other work: neither the warm-up nor what was queued before": no wait before the clock starts
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
        begin = time.perf_counter()
        function()
        return stamp() - begin

    function()
    return [once() for _ in range(repeats)]
