# earns: solved
# the device's module for every kind, the CPU's too, and a generator of times
"""Time a function on a device that works asynchronously."""

from collections.abc import Callable, Iterator
from time import perf_counter_ns
from typing import Any

import torch


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    """Seconds of each of `repeats` calls, after one to warm up."""
    synchronize = torch.get_device_module(device).synchronize

    def clocked() -> Iterator[float]:
        while True:
            synchronize(device)
            begin = perf_counter_ns()
            function()
            synchronize(device)
            yield (perf_counter_ns() - begin) / 1e9

    function()
    clock = clocked()
    return [next(clock) for _ in range(repeats)]
