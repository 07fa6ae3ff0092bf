# rejected by: waits_for_the_work: The call only queued its work
# a sleep instead of a wait: the sleep itself is measured, and the work may last longer
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
        if device.type != "cpu":
            time.sleep(0.01)
        return time.perf_counter()

    def once() -> float:
        begin = stamp()
        function()
        return stamp() - begin

    return [once() for _ in range(repeats + 1)][1:]
