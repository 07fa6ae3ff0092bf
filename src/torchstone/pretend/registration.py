"""Register the pretend device with this process' PyTorch. Imported by `install` alone: it needs torch.

The registrations cannot be undone, and PyTorch has room for one such backend a process.
"""

from typing import Any

import torch
from torch.utils import backend_registration

from torchstone.errors import UserError
from torchstone.pretend import device_module
from torchstone.pretend.attention import choose_attention
from torchstone.pretend.autocast import AUTOCAST_KEY, autocast_kernels
from torchstone.pretend.boxed import Kernel, aten_operator, boxed_kernel, run_anything
from torchstone.pretend.completion import complete
from torchstone.pretend.kernels import (
    REGISTERED_AS,
    allocation_kernels,
    metadata_kernel,
    pin_memory,
    work_kernels,
)
from torchstone.pretend.machine import machine

UNCLAIMED = "privateuseone"
SET_OPS = (
    "aten::set_",
    "aten::set_.source_Tensor",
    "aten::set_.source_Storage",
    "aten::set_.source_Storage_storage_offset",
)

# A library's kernels are withdrawn when it is collected.
_libraries: list[Any] = []


def register(name: str, devices: int) -> None:
    """Claim PrivateUse1 under `name`."""
    _check_free(name)
    machine.name, machine.device_count = name, devices
    backend_registration._setup_privateuseone_for_python_backend(name, backend_module=device_module)
    _register_kernels()
    _register_autocast()
    complete()


def _check_free(name: str) -> None:
    holder = torch._C._get_privateuse1_backend_name()
    if holder != UNCLAIMED or hasattr(torch, UNCLAIMED):
        raise UserError(
            f"the device '{holder}' already holds PyTorch's one place for an out-of-tree backend",
            "use the pretend device in a process of its own, before anything imports the other backend",
        )
    if hasattr(torch, name):
        raise UserError(f"'{name}' is taken: torch.{name} exists", "choose another name for the pretend device")


def _register_kernels() -> None:
    metadata, work = _kernels_of_cpu_ops()
    metadata |= allocation_kernels()
    work |= work_kernels()
    machine.op_names = frozenset(work) - metadata.keys()
    library = _open_library("aten")
    for op_name, kernel in (work | metadata).items():
        library.impl(REGISTERED_AS.get(op_name, op_name).removeprefix("aten::"), kernel, "PrivateUse1")
    # Else PyTorch resolves a lazy conjugation by a copy, which is this op, without end.
    for lazy_key in ("Conjugate", "Negative"):
        library.impl("_copy_from", torch.library.fallthrough_kernel, lazy_key)
    library.impl("_pin_memory", pin_memory, "CPU")
    # The second is for inference mode, which skips autograd's keys.
    for attention_key in ("AutogradPrivateUse1", "PrivateUse1"):
        library.impl("scaled_dot_product_attention", choose_attention, attention_key)
    everything = _open_library("_")
    everything.fallback(run_anything, "PrivateUse1")


def _kernels_of_cpu_ops() -> tuple[dict[str, Kernel], dict[str, Kernel]]:
    """A kernel for every aten op that the CPU has one for: those that touch metadata only, and the others."""
    metadata: dict[str, Kernel] = {}
    work: dict[str, Kernel] = {}
    for name in torch._C._dispatch_get_all_op_names():
        if not name.startswith("aten::") or not torch._C._dispatch_has_kernel_for_dispatch_key(name, "CPU"):
            continue
        operator = aten_operator(name.removeprefix("aten::"))
        if _is_view(operator) or name in SET_OPS:
            metadata[name] = metadata_kernel(operator)
        else:
            work[name] = boxed_kernel(operator)
    return metadata, work


def _is_view(operator: torch._ops.OpOverload) -> bool:
    returns = [value.alias_info for value in operator._schema.returns]
    return any(alias is not None and not alias.is_write for alias in returns)


def _register_autocast() -> None:
    everything = _open_library("_")
    everything.fallback(torch.library.fallthrough_kernel, AUTOCAST_KEY)
    library = _open_library("aten")
    for op_name, kernel in autocast_kernels().items():
        library.impl(op_name, kernel, AUTOCAST_KEY)


def _open_library(namespace: str) -> Any:
    library = torch.library.Library(namespace, "IMPL")  # type: ignore[no-untyped-call]
    _libraries.append(library)
    return library
