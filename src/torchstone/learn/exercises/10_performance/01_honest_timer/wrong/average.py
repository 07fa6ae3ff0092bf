# rejected by: each_call_has_its_own_time: Each time is that of one call
# 'returns the list of the `repeats` times': all calls are timed together and the mean is repeated
"""Time a function on a device that works asynchronously."""

import time
from collections.abc import Callable
from typing import Any

import torch


def wait(device: torch.device) -> None:
    if device.type != "cpu":
        torch.accelerator.synchronize(device)


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    function()
    wait(device)
    start = time.perf_counter()
    for _ in range(repeats):
        function()
    wait(device)
    seconds = time.perf_counter() - start
    return [seconds / repeats] * repeats
