# rejected by: waits_for_the_work: The call only queued its work
# "It works … for every accelerator": waits on CUDA and nowhere else
"""Time a function on a device that works asynchronously."""

import time
from collections.abc import Callable
from typing import Any

import torch


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    """Seconds of each of `repeats` calls, after one to warm up."""
    wait = torch.cuda.synchronize if device.type == "cuda" else lambda: None
    function()
    times = []
    for _ in range(repeats):
        wait()
        start = time.perf_counter()
        function()
        wait()
        times.append(time.perf_counter() - start)
    return times
