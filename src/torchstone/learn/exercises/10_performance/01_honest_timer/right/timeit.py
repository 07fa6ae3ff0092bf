# earns: solved
# timeit.timeit of a call that includes the wait of the device's module
"""Time a function on a device that works asynchronously, with timeit."""

import timeit
from collections.abc import Callable
from typing import Any

import torch


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    """Seconds of each of `repeats` calls, after one to warm up."""
    finish: Callable[[], Any] = lambda: None
    if device.type != "cpu":
        module = torch.get_device_module(device)
        finish = lambda: module.synchronize(device)

    def complete() -> None:
        function()
        finish()

    complete()
    return [timeit.timeit(complete, number=1) for _ in range(repeats)]
