# rejected by: waits_for_the_work: The call only queued its work
# 'and for every accelerator': only CUDA is waited for
"""Time a function on a device that works asynchronously."""

import time
from collections.abc import Callable
from typing import Any

import torch


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    def wait() -> None:
        if device.type == "cuda":
            torch.cuda.synchronize(device)

    function()
    times = []
    for _ in range(repeats):
        wait()
        start = time.perf_counter()
        function()
        wait()
        times.append(time.perf_counter() - start)
    return times
