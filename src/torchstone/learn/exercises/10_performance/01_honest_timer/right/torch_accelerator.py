# earns: solved
# torch.accelerator waits, marks before and after are subtracted at the end
"""Time a function on a device that works asynchronously."""

import time
from collections.abc import Callable
from typing import Any

import torch


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    """Seconds of each of `repeats` calls, after one to warm up."""

    def now() -> float:
        if device.type != "cpu":
            torch.accelerator.synchronize(device)
        return time.perf_counter()

    function()
    marks = [now()]
    while len(marks) <= repeats:
        function()
        marks.append(now())
    return [end - begin for begin, end in zip(marks, marks[1:])]
