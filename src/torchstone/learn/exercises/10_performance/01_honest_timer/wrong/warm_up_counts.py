# rejected by: leaves_the_first_call_out: The first call compiles and loads
# does not wait after the warm-up, so the first time holds the warm-up's work and what was queued before; breaks 'no
# other work: neither the warm-up nor what was queued before'
"""Time a function on a device that works asynchronously."""

import time
from collections.abc import Callable
from typing import Any

import torch


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    """Seconds of each of `repeats` calls, after one to warm up."""

    def wait() -> None:
        if device.type != "cpu":
            torch.accelerator.synchronize(device)

    function()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        wait()
        times.append(time.perf_counter() - start)
    return times
