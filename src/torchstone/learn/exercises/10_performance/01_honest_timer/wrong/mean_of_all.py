# rejected by: each_call_has_its_own_time: Each time is that of one call: read the clock before and after each.
# measures all calls together and returns their mean `repeats` times; "Each time covers the whole work of its own call
# on `device`, and no other work"
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

    function()
    start = clock()
    for _ in range(repeats):
        function()
    total = clock() - start
    return [total / repeats for _ in range(repeats)]
