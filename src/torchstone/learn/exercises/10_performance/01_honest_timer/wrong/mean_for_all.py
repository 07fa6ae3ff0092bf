# rejected by: each_call_has_its_own_time: Each time is that of one call
# times all calls together and returns the mean for each; breaks 'Each time covers the whole work of its own call'
# where calls take 10 and 30 ms in turn
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
    start = time.perf_counter()
    for _ in range(repeats):
        function()
        wait()
    total = time.perf_counter() - start
    return [total / repeats] * repeats if repeats else []
