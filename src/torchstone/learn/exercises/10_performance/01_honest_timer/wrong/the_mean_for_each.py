# rejected by: each_call_has_its_own_time: Each time is that of one call: read the clock before and
# waits once at the end and returns the mean for each call; demanded: "Each time covers the whole work of its own call
# on `device`, and no other work"
"""Time a function on a device that works asynchronously."""

import timeit
from collections.abc import Callable
from typing import Any

import torch


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    """Seconds of each of `repeats` calls, after one to warm up."""
    device = torch.device(device)

    def wait() -> None:
        if device.type != "cpu":
            torch.accelerator.synchronize(device)

    def call() -> None:
        function()
        wait()

    call()
    wait()
    start = timeit.default_timer()
    for _ in range(repeats):
        function()
    wait()
    return [(timeit.default_timer() - start) / repeats] * repeats if repeats else []
