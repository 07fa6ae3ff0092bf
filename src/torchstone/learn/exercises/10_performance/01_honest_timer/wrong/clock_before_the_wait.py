# rejected by: leaves_the_first_call_out: The first call compiles and loads
# 'and no other work': the clock starts before the wait for earlier work
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
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        wait(device)
        function()
        wait(device)
        times.append(time.perf_counter() - start)
    return times
