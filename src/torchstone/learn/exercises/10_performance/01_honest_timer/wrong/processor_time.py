# rejected by: counts_its_calls: Times are in seconds
# 'Each time covers the whole work of its own call': process_time does not run while the host waits
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
        wait(device)
        start = time.process_time()
        function()
        wait(device)
        times.append(time.process_time() - start)
    return times
