# earns: solved
# timeit.Timer, with the wait as set-up and as part of the statement
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
    return timeit.Timer(call, setup=wait).repeat(repeat=repeats, number=1)
