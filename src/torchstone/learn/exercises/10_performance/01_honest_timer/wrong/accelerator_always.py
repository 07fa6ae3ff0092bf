# rejected by: the_cpu_waits_for_nobody: Wait for the device that was named
# 'It works for the CPU, where there is nothing to wait for': torch.accelerator.synchronize() fails where there is no
# accelerator, and waits for one that was not asked about
"""Time a function on a device that works asynchronously."""

import time
from collections.abc import Callable
from typing import Any

import torch


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    function()
    times = []
    for _ in range(repeats):
        torch.accelerator.synchronize()
        start = time.perf_counter()
        function()
        torch.accelerator.synchronize()
        times.append(time.perf_counter() - start)
    return times
