# rejected by: waits_for_the_work: The call only queued its work: synchronize before
# it waits for CUDA only, so on every other accelerator the time of queueing is measured
"""Time a function on a device that works asynchronously."""

import time
from collections.abc import Callable
from typing import Any

import torch


def wait(device: torch.device) -> None:
    """Return when `device` has done all its work."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    """Seconds of each of `repeats` calls, after one to warm up."""
    function()
    wait(device)
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        wait(device)
        times.append(time.perf_counter() - start)
    return times
