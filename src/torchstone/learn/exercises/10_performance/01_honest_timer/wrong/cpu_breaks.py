# rejected by: counts_its_calls: ValueError
# "It works for the CPU, where there is nothing to wait for": torch.accelerator refuses the CPU
"""Time a function on a device that works asynchronously."""

import time
from collections.abc import Callable
from typing import Any

import torch


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    """Seconds of each of `repeats` calls, after one to warm up."""
    device = torch.device(device)
    module = torch.get_device_module(device.type)

    def stamp() -> float:
        torch.accelerator.synchronize(device)
        return time.perf_counter()

    def once() -> float:
        begin = stamp()
        function()
        return stamp() - begin

    return [once() for _ in range(repeats + 1)][1:]
