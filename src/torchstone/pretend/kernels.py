"""The ops that a device must have of its own: allocation, copies, metadata, and what has no CPU kernel.

Everything else is `boxed`.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch

from torchstone.pretend.attention import attend, attend_backward
from torchstone.pretend.boxed import Kernel, host_kernel, to_host
from torchstone.pretend.faults import Call
from torchstone.pretend.knobs import NON_BLOCKING, STRIDED
from torchstone.pretend.machine import machine
from torchstone.pretend.recurrent import gru_cell, gru_cell_backward, lstm_cell, lstm_cell_backward
from torchstone.pretend.tensors import (
    CPU,
    CPU_KEYS,
    allocate,
    check_dtype,
    device_tensor,
    host_storage,
    point_to,
)

aten = torch.ops.aten
# SDPBackend.MATH: the one whose parts are plain ops on every device.
ATTENTION_BY_PLAIN_OPS = 0
# Where PyTorch looks for an out-of-tree device's kernel, if not under the op's own name.
REGISTERED_AS = {
    "aten::convolution": "aten::convolution_overrideable",
    "aten::convolution_backward": "aten::convolution_backward_overrideable",
}


def empty(
    size: Sequence[int],
    *,
    dtype: torch.dtype | None = None,
    layout: torch.layout | None = None,
    device: torch.device | None = None,
    pin_memory: bool | None = None,
    memory_format: torch.memory_format | None = None,
) -> torch.Tensor:
    """`aten::empty.memory_format`."""
    return _allocate_like(device, dtype, aten.empty.memory_format, size, memory_format=memory_format)


def empty_strided(
    size: Sequence[int],
    stride: Sequence[int],
    *,
    dtype: torch.dtype | None = None,
    layout: torch.layout | None = None,
    device: torch.device | None = None,
    pin_memory: bool | None = None,
) -> torch.Tensor:
    """`aten::empty_strided`."""
    return _allocate_like(device, dtype, aten.empty_strided.default, size, stride)


def zero_tensor(size: Sequence[int], **options: Any) -> torch.Tensor:
    """`aten::_efficientzerotensor`, which must not be efficient here: its bytes do not exist."""
    return empty(size, dtype=options.get("dtype"), device=options.get("device")).zero_()


def copy_from(source: torch.Tensor, target: torch.Tensor, non_blocking: bool = False) -> torch.Tensor:
    """`aten::_copy_from`: between host and device in either direction, or within the device."""
    with torch._C.DisableTorchFunction():
        behaviour = machine.begin("aten::_copy_from")
        call = Call(
            "aten::_copy_from", [to_host(source), to_host(target), non_blocking], {}, (source, target), (), _copy
        )
        call.right() if behaviour.fault is None else behaviour.fault(call)
        if machine.knobs.spoiled_copies & _kinds_of_copy(source, target, non_blocking):
            _spoil_last(to_host(target))
        machine.finish(behaviour)
        if source.is_cpu or target.is_cpu:
            machine.transfer(source.numel() * source.element_size())
        # As on CUDA: only a copy *to* the device can be left unfinished, the host needs what comes back.
        if target.is_cpu or (source.is_cpu and not non_blocking):
            machine.clock.wait()
    return target


def _kinds_of_copy(source: torch.Tensor, target: torch.Tensor, non_blocking: bool) -> set[str]:
    kinds = {str(target.dtype).removeprefix("torch.")}
    if not (source.is_contiguous() and target.is_contiguous()):
        kinds.add(STRIDED)
    return kinds | ({NON_BLOCKING} if non_blocking else set())


def _spoil_last(host: torch.Tensor) -> None:
    if host.numel():
        last = (-1,) * host.dim()
        host[last] = 1 if host[last].item() == 0 else 0


def to_copy(tensor: torch.Tensor, *, non_blocking: bool = False, **options: Any) -> torch.Tensor:
    """`aten::_to_copy`, but never into pinned memory, which PyTorch would take for a copy that need not wait."""
    target = options.get("device")
    keeps_going = non_blocking and target is not None and target.type != "cpu"
    # The kernel is the same for every device; the CPU's entry leads to it.
    return aten._to_copy.default.redispatch(CPU_KEYS, tensor, non_blocking=keeps_going, **options)  # type: ignore[no-any-return]


def copy_from_and_resize(source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """`aten::_copy_from_and_resize`."""
    return copy_from(source, target.resize_(source.size()))


def resize(
    tensor: torch.Tensor, size: Sequence[int], *, memory_format: torch.memory_format | None = None
) -> torch.Tensor:
    """`aten::resize_`: move to a larger storage if need be, keeping the bytes."""
    with torch._C.DisableTorchFunction():
        layout = aten.empty.memory_format(size, dtype=tensor.dtype, device="meta", memory_format=memory_format)
        shifted = layout.as_strided(layout.size(), layout.stride(), tensor.storage_offset())
        needed = (tensor.storage_offset() + layout.numel()) * tensor.element_size()
        storage: Any = tensor.untyped_storage()
        if storage.nbytes() < needed:
            larger: Any = allocate(needed)
            host_storage(larger)[: storage.nbytes()].copy_(host_storage(storage))
            storage = larger
        return point_to(tensor, storage, shifted)


def read_scalar(tensor: torch.Tensor) -> Any:
    """`aten::_local_scalar_dense`, behind `.item()`."""
    with torch._C.DisableTorchFunction():
        behaviour = machine.begin("aten::_local_scalar_dense")
        machine.finish(behaviour)
        machine.clock.wait()
        call = Call("aten::_local_scalar_dense", [to_host(tensor)], {}, (tensor,), (), torch.Tensor.item)
        return call.right() if behaviour.fault is None else behaviour.fault(call)


def convolution_backward(
    grad_output: torch.Tensor,
    source: torch.Tensor,
    weight: torch.Tensor,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
    output_mask: Sequence[bool],
) -> Any:
    """`aten::convolution_backward_overrideable`, whose CPU counterpart wants the size of the bias as well."""
    return aten.convolution_backward.default(
        grad_output,
        source,
        weight,
        [grad_output.size(1)],
        stride,
        padding,
        dilation,
        transposed,
        output_padding,
        groups,
        output_mask,
    )


def pin_memory(tensor: torch.Tensor, device: torch.device | None = None) -> torch.Tensor:
    """`aten::_pin_memory` of a CPU tensor: plain memory, since an allocator can be given from C++ only."""
    return tensor.clone()


def metadata_kernel(operator: torch._ops.OpOverload) -> Kernel:
    """A view, or `set_`: the CPU's kernel on the device tensor itself, since it reads no data."""

    def kernel(*args: Any, **kwargs: Any) -> Any:
        return operator.redispatch(CPU_KEYS, *args, **kwargs)

    return kernel


def allocation_kernels() -> dict[str, Kernel]:
    """The ops that do no work on the device, so that no knob concerns them."""
    return {
        "aten::empty.memory_format": empty,
        "aten::empty_strided": empty_strided,
        "aten::_efficientzerotensor": zero_tensor,
        "aten::resize_": resize,
        "aten::_to_copy": to_copy,
        "aten::_copy_from_and_resize": copy_from_and_resize,
        "aten::_fused_sdp_choice": lambda *args, **kwargs: ATTENTION_BY_PLAIN_OPS,
    }


def work_kernels() -> dict[str, Kernel]:
    """The ops that do work, by the name that knobs know."""
    on_host: dict[str, Kernel] = {
        "aten::convolution": aten.convolution.default,
        "aten::convolution_backward": convolution_backward,
        "aten::_scaled_dot_product_fused_attention_overrideable": attend,
        "aten::_scaled_dot_product_fused_attention_overrideable_backward": attend_backward,
        "aten::_thnn_fused_lstm_cell": lstm_cell,
        "aten::_thnn_fused_lstm_cell_backward_impl": lstm_cell_backward,
        "aten::_thnn_fused_gru_cell": gru_cell,
        "aten::_thnn_fused_gru_cell_backward": gru_cell_backward,
    }
    kernels = {name: host_kernel(name, function) for name, function in on_host.items()}
    return kernels | {"aten::_copy_from": copy_from, "aten::_local_scalar_dense": read_scalar}


def _copy(source: torch.Tensor, target: torch.Tensor, non_blocking: bool) -> None:
    target.copy_(source)


def _allocate_like(
    where: torch.device | None, dtype: torch.dtype | None, factory: Callable[..., Any], *args: Any, **kwargs: Any
) -> torch.Tensor:
    with torch._C.DisableTorchFunction():
        _check_index(where)
        chosen = torch.get_default_dtype() if dtype is None else dtype
        check_dtype(chosen)
        return device_tensor(factory(*args, dtype=chosen, device=CPU, **kwargs))


def _check_index(where: torch.device | None) -> None:
    index = 0 if where is None or where.index is None else where.index
    if index >= machine.device_count:
        raise RuntimeError(f"{machine.name} error: invalid device ordinal")
    # PyTorch's Python device guard knows one device; autograd would index past its queues.
    if index > 0:
        raise RuntimeError(f"{machine.name} error: {where} is busy or unavailable")
