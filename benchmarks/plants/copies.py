"""Faults of copies between host and device, and of numbers read back."""

import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from plants.conditions import to_device, to_host
from plants.damages import in_storage_order, without_offset
from plants.planting import LIMIT_32_BIT, Condition, Plant, draw, plant, spoil
from torchstone.pretend import Call, Fault
from torchstone.pretend.machine import machine

GARBAGE = -3e32


def copy_as(change: Callable[[Tensor], Tensor]) -> Fault:
    """Copy something else in the source's place."""
    return lambda call: call.kernel(change(call.args[0]), *call.args[1:])


def source(question: Callable[[Tensor], bool]) -> Condition:
    """A question about what is copied."""
    return lambda call: question(call.args[0])


def target(question: Callable[[Tensor], bool]) -> Condition:
    """A question about where it is copied to."""
    return lambda call: question(call.args[1])


def at_offset(tensor: Tensor) -> bool:
    """Begins inside its storage."""
    return tensor.storage_offset() > 0


def has_step(tensor: Tensor) -> bool:
    """Has gaps between its elements."""
    return tensor.dim() > 0 and tensor.numel() > 1 and min(tensor.stride()) > 1


def is_expanded(tensor: Tensor) -> bool:
    """Has a stride of 0."""
    return 0 in tensor.stride() and tensor.numel() > 1


def with_other_dtype(call: Call) -> bool:
    """The copy converts."""
    return call.args[0].dtype is not call.args[1].dtype


def as_bits(call: Call) -> Any:
    """The bits arrive, but not converted."""
    first, second = call.args[:2]
    bits = first.contiguous().view(torch.uint8).flatten()
    needed = second.numel() * second.element_size()
    second.copy_(bits.repeat(needed // bits.numel() + 1)[:needed].view(second.dtype).view(second.shape))


def copy_both_packed(call: Call) -> Any:
    """Both sides have the same gaps, so everything between first and last is copied as one block."""
    first, second = call.args[:2]
    length = sum((size - 1) * stride for size, stride in zip(second.shape, second.stride(), strict=True)) + 1
    second.as_strided((length,), (1,)).copy_(first.as_strided((length,), (1,)))


def same_gaps(call: Call) -> bool:
    """Both sides have gaps, and the same strides."""
    first, second = call.args[:2]
    return has_step(first) and first.stride() == second.stride()


def copies_late() -> Fault:
    """A copy that need not block reads its source when the host next waits: by then it may be gone."""

    def spoil_if_unread(place: Tensor, waits: int) -> None:
        if machine.clock.waits == waits:
            place.fill_(GARBAGE if place.is_floating_point() else 113)

    def fault(call: Call) -> Any:
        call.right()
        if to_device(call) and call.args[2]:
            storage = call.given[0].untyped_storage()
            weakref.finalize(storage, spoil_if_unread, call.args[1], machine.clock.waits).atexit = False

    return fault


def send_and_drop(device: str, *, non_blocking: bool) -> Tensor:
    """Copy a tensor that is gone at once."""
    host = torch.arange(10.0)
    sent = host.to(device, non_blocking=non_blocking)
    del host
    return sent


def receive(device: str, view: Callable[[Tensor], Tensor], *, into_view: bool) -> Tensor:
    """Copy a view from the device into a tensor of the host, or into the same view of one."""
    sent = view(draw(device, 6, 8))
    parent = torch.full((6, 8), 777.0)
    if into_view:
        view(parent).copy_(sent)
        return parent
    return torch.empty(sent.shape).copy_(sent)


def send_into(device: str, rows: slice) -> Tensor:
    """Write rows of the host into a tensor of the device."""
    parent = torch.zeros(6, 4).to(device)
    parent[rows] = torch.arange(8.0).view(2, 4)
    return parent


def ignore_target_offset(call: Call) -> Any:
    """Write at the start of the target's storage."""
    without_offset(call.args[1]).copy_(call.args[0])


def first_elements_only(tensor: Tensor) -> Tensor:
    """Beyond a limit there are zeros."""
    kept = tensor.reshape(-1).clone()
    kept[LIMIT_32_BIT:] = 0
    return kept.view(tensor.shape)


def every_second_row(tensor: Tensor) -> Tensor:
    """Every second row."""
    return tensor[::2]


def every_second_column(tensor: Tensor) -> Tensor:
    """Every second column of every second row."""
    return tensor[::2, ::2]


PLANTS: list[Plant] = [
    plant(
        "to_device_slice",
        "PB",
        "to",
        "_copy_from",
        "a slice of the host is read from the start of its storage",
        spoil(copy_as(without_offset), to_device, source(at_offset)),
        lambda d: torch.arange(12.0)[4:].to(d),
        lambda d: torch.arange(12.0)[:8].to(d),
        lambda d: torch.arange(12.0).to(d)[4:].clone(),
    ),
    plant(
        "to_device_expanded",
        "PC",
        "to",
        "_copy_from",
        "a repeated number of the host is read as many",
        spoil(
            copy_as(lambda tensor: in_storage_order(tensor) + torch.arange(tensor.numel()).view(tensor.shape)),
            to_device,
            source(is_expanded),
        ),
        lambda d: torch.tensor(1.0).expand(10).to(d),
        lambda d: torch.ones(10).to(d),
        lambda d: torch.tensor(1.0).to(d).expand(10).clone(),
    ),
    plant(
        "to_host_gaps",
        "PE",
        "copy_",
        "_copy_from",
        "from and into views with the same gaps, the gaps are copied too",
        spoil(copy_both_packed, to_host, same_gaps),
        lambda d: receive(d, every_second_column, into_view=True),
        lambda d: receive(d, every_second_column, into_view=False),
        lambda d: receive(d, lambda tensor: tensor[2:], into_view=True),
    ),
    plant(
        "to_host_converted",
        "PI",
        "type",
        "_copy_from",
        "a copy to the host that converts brings the bits",
        spoil(as_bits, to_host, with_other_dtype),
        lambda d: torch.empty(6, dtype=torch.int64).copy_(draw(d, 6) * 100),
        lambda d: torch.empty(6).copy_(draw(d, 6) * 100),
        lambda d: (draw(d, 6) * 100).to(torch.int64),
    ),
    plant(
        "to_host_strided",
        "PA",
        "cpu",
        "_copy_from",
        "a view with a step in its last dimension is read without it",
        spoil(copy_as(in_storage_order), to_host, source(has_step)),
        lambda d: draw(d, 6, 8)[:, ::2].cpu(),
        lambda d: draw(d, 6, 8)[::2].cpu(),
        lambda d: draw(d, 6, 8)[:, ::2].clone(),
    ),
    plant(
        "non_blocking_freed",
        "P",
        "to",
        "_copy_from",
        "a source that is freed before the host waits arrives as garbage",
        copies_late,
        lambda d: send_and_drop(d, non_blocking=True),
        lambda d: send_and_drop(d, non_blocking=False),
        remembers=True,
    ),
    plant(
        "setitem_from_host",
        "PE",
        "copy_",
        "_copy_from",
        "what the host writes into rows arrives in the first ones",
        spoil(ignore_target_offset, to_device, target(at_offset)),
        lambda d: send_into(d, slice(2, 4)),
        lambda d: send_into(d, slice(0, 2)),
        lambda d: torch.zeros(6, 4).to(d).index_copy(0, torch.tensor([2]).to(d), torch.ones(1, 4).to(d)),
    ),
    plant(
        "to_host_large",
        "PG",
        "cpu",
        "_copy_from",
        "beyond 2**32 elements zeros arrive",
        spoil(copy_as(first_elements_only), to_host, source(lambda tensor: tensor.numel() > LIMIT_32_BIT)),
        lambda d: torch.ones(LIMIT_32_BIT + 3).to(d),
        lambda d: torch.ones(LIMIT_32_BIT).to(d),
        lambda d: torch.ones(LIMIT_32_BIT + 3).to(d)[-10:],
    ),
    plant(
        "item_large_int",
        "PJ",
        "item",
        "_local_scalar_dense",
        "an integer beyond 2**24 is read back by way of float32",
        spoil(
            lambda call: int(call.args[0].float().item()),
            lambda call: call.args[0].dtype is torch.int64 and abs(call.args[0].item()) > 2**24,
        ),
        lambda d: torch.tensor([2**24 + 1]).to(d)[0].item(),
        lambda d: torch.tensor([2**24 - 1]).to(d)[0].item(),
        lambda d: torch.tensor([2**24 + 1]).to(d).cpu()[0].item(),
    ),
    plant(
        "non_blocking_int64",
        "P",
        "to",
        "_copy_from",
        "of int64, a copy that need not block brings every second number",
        spoil(
            copy_as(lambda tensor: tensor * (torch.arange(tensor.numel()).view(tensor.shape) % 2)),
            to_device,
            lambda call: bool(call.args[2]) and call.args[0].dtype is torch.int64,
        ),
        lambda d: torch.arange(1, 11).to(d, non_blocking=True),
        lambda d: torch.arange(1, 11).to(d),
        lambda d: torch.arange(1.0, 11.0).to(d, non_blocking=True),
    ),
]
