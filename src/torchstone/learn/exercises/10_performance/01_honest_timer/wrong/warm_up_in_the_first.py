# rejected by: leaves_the_first_call_out: The first call compiles and loads: make it once before you
# nobody waits before the first time is taken, which has the warm-up and what was queued before in it; demanded:
# "neither the warm-up nor what was queued before `measure` was called"
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

    function()
    return timeit.Timer(call).repeat(repeat=repeats, number=1)
