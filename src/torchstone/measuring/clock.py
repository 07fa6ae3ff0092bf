"""The clock of one device: seconds of calls from an idle device to an idle device, or as a sync audit tries them."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torchstone.backends import Backend

Call = Callable[[], Any]


def time_calls(call: Call, calls: int, synchronize: Callable[[], None], now: Callable[[], float]) -> tuple[float, Any]:
    """Seconds of so many calls back to back, from an idle device to an idle device, and the last output."""
    output = None
    synchronize()
    start = now()
    for _ in range(calls):
        output = None  # freed before the next is made: two outputs alive would cost the allocator fresh pages
        output = call()
    synchronize()
    return now() - start, output


@dataclass(frozen=True)
class Clock:
    """Times a call on one device."""

    backend: Backend
    device_id: str
    now: Callable[[], float] = time.perf_counter

    def time_synchronized(self, call: Call, calls: int = 1) -> tuple[float, Any]:
        """Seconds a call, from an idle device to an idle device, and the last output."""
        spent_s, output = time_calls(call, calls, lambda: self.backend.synchronize(self.device_id), self.now)
        return spent_s / calls, output

    def time_unsynchronized(self, call: Call, calls: int = 1) -> float:
        """Seconds until the call returns, as a harness without synchronization would see it."""
        self.backend.synchronize(self.device_id)
        start = self.now()
        for _ in range(calls):
            call()
        seconds = (self.now() - start) / calls
        self.backend.synchronize(self.device_id)
        return seconds

    def time_readback(self, call: Call, calls: int = 1) -> float | None:
        """Seconds until a value of the output has come back to the host; None where there is no output to read."""
        output = None
        self.backend.synchronize(self.device_id)
        start = self.now()
        for _ in range(calls):
            output = call()
        tensor = first_tensor(output)
        if tensor is None or tensor.numel() == 0:
            self.backend.synchronize(self.device_id)
            return None
        read_value(tensor)
        return (self.now() - start) / calls

    def time_reading(self, tensor: Any) -> float:
        """Seconds until one of its values has come to the host."""
        start = self.now()
        read_value(tensor)
        return self.now() - start


def read_value(tensor: Any) -> None:
    """Bring one value to the host, which can't be done before it is computed."""
    tensor.detach().flatten()[0].item()


def first_tensor(output: Any) -> Any:
    """The first tensor in an output of tensors, tuples, dicts or model outputs; None where there is none."""
    import torch
    from torch.utils._pytree import tree_leaves

    if isinstance(output, torch.Tensor):
        return output
    leaves = tree_leaves(dict(output) if isinstance(output, dict) else output)
    return next((leaf for leaf in leaves if isinstance(leaf, torch.Tensor)), None)
