"""Device tensors over host memory, and CPU tensors over the same bytes.

A device storage is made from the pointer of a CPU allocation, so a device tensor and its CPU alias share bytes:
no op copies its arguments, in-place ops need no copying back, and views are PyTorch's own.

    device storage ──.pretend_host──▶ CPU storage over the same bytes ──.pretend_owner──▶ the CPU allocation
                   ◀──.pretend_device── (weak)

The attributes live as long as the storage does, even while only C++ holds it: PyTorch preserves its Python object.
The storage in the middle cannot be resized, so that no CPU kernel can move the bytes under the device's pointer.
"""

import ctypes
import weakref
from functools import cache
from typing import Any

import torch

from torchstone.pretend.machine import machine
from torchstone.pretend.memory import CapacityExceeded, FreedBlock

CPU_KEYS = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
CPU = torch.device("cpu")
SET_STORAGE = torch.ops.aten.set_.source_Storage_storage_offset
MIB = 2**20
# Of each freed block: enough for a fault to read, however large the blocks.
FREED_BYTES_KEPT = 2**16


def host_alias(tensor: torch.Tensor) -> torch.Tensor:
    """A CPU tensor over the bytes of a device tensor."""
    host = host_storage(tensor.untyped_storage())
    alias = torch.empty(0, dtype=tensor.dtype, device=CPU)
    alias.set_(host, tensor.storage_offset(), tensor.size(), tensor.stride())
    # Copies and some of linear algebra are given lazy conjugations and negations to resolve themselves.
    if tensor.is_conj():
        alias = alias.conj()
    return torch._neg_view(alias) if tensor.is_neg() else alias


def host_storage(storage: Any) -> torch.UntypedStorage:
    """The CPU storage over the bytes of a device storage."""
    host = getattr(storage, "pretend_host", None)
    # PyTorch makes storages of its own from our pointers, as when pickling.
    return _foreign_host(storage) if host is None else host


def device_tensor(result: torch.Tensor) -> torch.Tensor:
    """A device tensor over the bytes of a CPU tensor, which is a fresh result or an alias of a device tensor."""
    check_dtype(result.dtype)
    if result.layout is not torch.strided or result.is_quantized or result.is_nested:
        raise NotImplementedError(f"the {machine.name} device has plain dense tensors only")
    result = result.resolve_conj().resolve_neg()
    host: Any = result.untyped_storage()
    storage = host.pretend_device() if hasattr(host, "pretend_device") else None
    tensor = torch._C._acc.create_empty_tensor((0,), result.dtype)
    return point_to(tensor, device_storage(host) if storage is None else storage, result)


def point_to(tensor: torch.Tensor, storage: torch.UntypedStorage, layout: torch.Tensor) -> torch.Tensor:
    """Make a device tensor look at a device storage, with the shape and strides of `layout`."""
    # The CPU kernel of set_ touches metadata only: it serves any device.
    SET_STORAGE.redispatch(CPU_KEYS, tensor, storage, layout.storage_offset(), layout.size(), layout.stride())
    return tensor


def device_storage(owner: torch.UntypedStorage) -> torch.UntypedStorage:
    """Turn a CPU allocation into a device storage, and count it."""
    nbytes, pointer = owner.nbytes(), owner.data_ptr()
    storage: Any = torch._C._construct_storage_from_data_pointer(pointer, device(), nbytes)
    host: Any = torch._C._construct_storage_from_data_pointer(pointer, CPU, nbytes)
    try:
        machine.ledger.allocate(storage, nbytes, machine.knobs.capacity_bytes)
    except CapacityExceeded as exceeded:
        raise torch.OutOfMemoryError(_out_of_memory_message(nbytes, exceeded.free_bytes)) from None
    host.pretend_owner = owner
    host.pretend_device = weakref.ref(storage)
    storage.pretend_host = host
    if machine.knobs.freed_blocks_kept:
        weakref.finalize(storage, _keep_freed, owner).atexit = False
    return storage  # type: ignore[no-any-return]


def _keep_freed(owner: torch.UntypedStorage) -> None:
    if owner.nbytes():
        # Not by torch: a finalizer runs anywhere, also under a mode that watches ops.
        head = ctypes.string_at(owner.data_ptr(), min(owner.nbytes(), FREED_BYTES_KEPT))
        machine.freed_blocks.append(FreedBlock(owner.nbytes(), head))


def allocate(nbytes: int) -> torch.UntypedStorage:
    """A device storage of uninitialised bytes."""
    return device_storage(torch.empty(nbytes, dtype=torch.uint8, device=CPU).untyped_storage())


@cache
def device() -> torch.device:
    """The device on which everything is allocated."""
    return torch.device(machine.name, 0)


def check_dtype(dtype: torch.dtype) -> None:
    """Refuse what the knobs reject, in the words of MPS."""
    if not machine.knobs.rejected_dtypes:
        return
    name = str(dtype).removeprefix("torch.")
    if name in machine.knobs.rejected_dtypes:
        raise TypeError(
            f"Cannot convert a {machine.name} Tensor to {name} dtype as the {machine.name} framework "
            f"doesn't support {name}. Please use float32 instead."
        )


def two_devices(other: torch.device) -> RuntimeError:
    """PyTorch's words for tensors that cannot meet."""
    return RuntimeError(
        f"Expected all tensors to be on the same device, but found at least two devices, {device()} and {other}!"
    )


def _foreign_host(storage: torch.UntypedStorage) -> torch.UntypedStorage:
    if storage.device.type != machine.name:
        raise two_devices(storage.device)
    host: Any = torch._C._construct_storage_from_data_pointer(storage.data_ptr(), CPU, storage.nbytes())
    host.pretend_device = weakref.ref(storage)
    return host  # type: ignore[no-any-return]


def _out_of_memory_message(nbytes: int, free_bytes: int) -> str:
    capacity = machine.knobs.capacity_bytes or 0
    return (
        f"{machine.name} out of memory. Tried to allocate {nbytes / MIB:.2f} MiB. Device 0 has a total capacity "
        f"of {capacity / MIB:.2f} MiB of which {free_bytes / MIB:.2f} MiB is free."
    )
