# rejected by: waits_for_the_work: The call only queued its work
# 'Each time covers the whole work of its own call': a short sleep between the calls stands for the wait
"""Time a function on a device that works asynchronously."""

import time
from collections.abc import Callable
from typing import Any

import torch


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    function()
    times = []
    for _ in range(repeats):
        time.sleep(0.02)
        start = time.perf_counter()
        result = function()
        if isinstance(result, torch.Tensor) and result.numel() and device.type == "cpu":
            result.flatten()[0].item()
        times.append(time.perf_counter() - start)
    return times
