# earns: solved
# a context manager as stopwatch
"""Time a function on a device that works asynchronously."""

import time
from collections.abc import Callable
from typing import Any

import torch


class Stopwatch:
    def __init__(self, device: torch.device) -> None:
        self.device = torch.device(device)
        self.seconds = 0.0

    def settle(self) -> None:
        if self.device.type != "cpu":
            torch.accelerator.synchronize(self.device)

    def __enter__(self) -> "Stopwatch":
        self.settle()
        self.start = time.perf_counter()
        return self

    def __exit__(self, *problem: object) -> None:
        self.settle()
        self.seconds = time.perf_counter() - self.start


def measure(function: Callable[[], Any], device: torch.device, repeats: int) -> list[float]:
    function()
    result = []
    for _ in range(repeats):
        with Stopwatch(device) as watch:
            function()
        result.append(watch.seconds)
    return result
