# rejected by: no_repeats_are_no_times: ValueError: repeats
# no repeats are an error; "the list of the `repeats` times in seconds"
"""Time a function on a device that works asynchronously."""

import time
from collections.abc import Callable
from typing import Any

import torch


def wait(device: torch.device) -> None:
    """Until that device, which need not be the current one, has done its work; the CPU always has."""
    if device.type != "cpu":
        torch.accelerator.synchronize(device)


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    """Seconds of each of `repeats` calls, after one to warm up."""
    function()
    # The warm-up, and whatever was queued before it, must be over before the clock starts.
    wait(device)
    times = []
    if not repeats:
        raise ValueError("repeats")
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        wait(device)
        times.append(time.perf_counter() - start)
    return times
