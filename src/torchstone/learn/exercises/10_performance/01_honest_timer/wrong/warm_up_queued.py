# rejected by: leaves_the_first_call_out: The first call compiles and loads
# "no other work: neither the warm-up nor …": nobody waits between the warm-up and the first call
"""Time a function on a device that works asynchronously."""

import time
from collections.abc import Callable
from typing import Any

import torch


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    """Seconds of each of `repeats` calls, after one to warm up."""
    wait = torch.get_device_module(device).synchronize
    wait()
    function()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        wait()
        times.append(time.perf_counter() - start)
    return times
