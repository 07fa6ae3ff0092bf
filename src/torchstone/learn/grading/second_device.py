"""A machine that seems to have two pretend devices: which of the two does the learner's code wait for?

The pretend device holds tensors on index 0 alone. Who waits for "the current device" seems right there, and is wrong on
a machine with two. So for a while there are two by name, and every way to wait is written down with the index it asks.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import torch

from torchstone.pretend import device_module
from torchstone.pretend.machine import machine


class IndexedWaits:
    """The current index of the two devices, and what was waited for, in order."""

    def __init__(self) -> None:
        self.current = 0
        self.seen: list[Any] = []
        """Indices; a check may append what it wants to see in between."""

    def wait(self, device: Any = None) -> None:
        self.seen.append(self._index(device))

    def choose(self, device: Any) -> int:
        """Make it the current one; the one before is returned, as torch does."""
        before, self.current = self.current, self._index(device)
        return before

    def _index(self, device: Any) -> int:
        index = torch.device(device).index if isinstance(device, (str, torch.device)) else device
        return self.current if index is None or index < 0 else index


class _Queue:
    """The queue of one of the two, or an event in it: all that it can do is to be waited for."""

    def __init__(self, waits: IndexedWaits, device: Any = None) -> None:
        self.waits, self.index = waits, waits._index(device)

    def record(self, stream: Any = None) -> None:
        self.index = stream.index if isinstance(stream, _Queue) else self.waits.current

    def record_event(self) -> "_Queue":
        return self

    def query(self) -> bool:
        self.waits.wait(self.index)
        return True

    def elapsed_time(self, end_event: Any) -> float:
        return 0.0

    def synchronize(self) -> None:
        self.waits.wait(self.index)


@contextmanager
def two_devices() -> Iterator[tuple[torch.device, IndexedWaits]]:
    """The second of two pretend devices, on which nothing can be computed, and all that is waited for inside."""
    waits = IndexedWaits()

    @contextmanager
    def chosen(device: Any) -> Iterator[None]:
        before = waits.choose(device)
        try:
            yield
        finally:
            waits.choose(before)

    core = {
        "_accelerator_synchronizeDevice": waits.wait,
        "_accelerator_setDeviceIndex": waits.choose,
        "_accelerator_exchangeDevice": waits.choose,
        "_accelerator_maybeExchangeDevice": waits.choose,
        "_accelerator_getDeviceIndex": lambda: waits.current,
        "_accelerator_getStream": lambda index=None: _Queue(waits, index),
    }
    module = {
        "synchronize": waits.wait,
        "set_device": waits.choose,
        "current_device": lambda: waits.current,
        "device": chosen,
        "current_stream": lambda device=None: _Queue(waits, device),
        "Event": lambda *args, **kwargs: _Queue(waits),
    }
    with ExitStack() as stack:
        stack.enter_context(patch.object(machine, "device_count", 2))
        for holder, replaced in ((torch._C, core), (device_module, module)):
            for name, stand_in in replaced.items():
                stack.enter_context(patch.object(holder, name, stand_in))
        yield torch.device(machine.name, 1), waits
