# earns: solved
# the end of one call is the beginning of the next; differences of moments
"""Time a function on a device that works asynchronously."""

import time
from collections.abc import Callable
from typing import Any

import torch


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    """Seconds of each of `repeats` calls, after one to warm up."""
    module = torch.get_device_module(device)
    moments = []
    for _ in range(repeats + 1):
        function()
        module.synchronize(device)
        moments.append(time.perf_counter())
    return [later - sooner for sooner, later in zip(moments, moments[1:], strict=False)]
