# rejected by: waits_for_the_work: The call only queued its work: synchronize before you look at
# waits for CUDA, Metal and Intel only; promised: "It works for the CPU ... and for every accelerator"
"""Time a function on a device that works asynchronously."""

import timeit
from collections.abc import Callable
from typing import Any

import torch


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    """Seconds of each of `repeats` calls, after one to warm up."""
    device = torch.device(device)

    def wait() -> None:
        if device.type in ("cuda", "mps", "xpu"):
            getattr(torch, device.type).synchronize()

    def call() -> None:
        function()
        wait()

    call()
    return timeit.Timer(call, setup=wait).repeat(repeat=repeats, number=1)
