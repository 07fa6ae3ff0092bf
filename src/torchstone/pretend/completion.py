"""What PyTorch's Python hooks leave out, put in place by hand.

The device guard and hooks that can be registered from Python (torch/csrc/acc/Module.cpp) neither synchronize nor
count memory nor bring an allocator: `torch.accelerator.synchronize()` raises, and `torch.UntypedStorage(8,
device=...)` calls a null pointer. Both are entered through Python attributes, and are replaced there.
"""

from typing import Any

import torch

from torchstone.pretend import device_module
from torchstone.pretend.machine import machine
from torchstone.pretend.tensors import device_storage


def complete() -> None:
    """Fill the gaps; once a process."""
    _complete_accelerator()
    _complete_storage()


def _complete_accelerator() -> None:
    core: Any = torch._C
    core._accelerator_synchronizeDevice = device_module.synchronize
    core._accelerator_isAllocatorInitialized = lambda: True
    core._accelerator_emptyCache = device_module.empty_cache
    core._accelerator_getDeviceStats = device_module.memory_stats
    core._accelerator_resetPeakStats = device_module.reset_peak_memory_stats
    core._accelerator_getMemoryInfo = device_module.mem_get_info


def _complete_storage() -> None:
    untyped: Any = torch.UntypedStorage
    construct = untyped.__new__

    def new(kind: type, *args: Any, device: Any = None, **kwargs: Any) -> Any:
        if device is None or torch.device(device).type != machine.name:
            return construct(kind, *args, device=device, **kwargs) if device else construct(kind, *args, **kwargs)
        return device_storage(construct(torch.UntypedStorage, *args, **kwargs))

    untyped.__new__ = staticmethod(new)
