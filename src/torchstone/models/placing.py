"""A model and its inputs put where and as a `Setup` says: device, dtype, memory format, threads."""

import copy
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeVar

import msgspec
import torch
from torch import Tensor, nn

from torchstone.models.inputs import Inputs, map_tensors, move_inputs
from torchstone.records import PLAIN_DTYPE, Device, Setup

IMAGE_DIMENSIONS = 4
"""Channels last is an order of (N, C, H, W)."""
CHANNELS_LAST = "channels_last"
TF32 = "tf32"
"""A precision: float32 tensors, whose products are made of ten bits each on hardware that has it."""
Item = TypeVar("Item")


def plain_setup(device: Device | str = "cpu", dtype: str = PLAIN_DTYPE) -> Setup:
    """Eager, in the model's own dtype, with all threads: the baseline on a device."""
    device_id = device if isinstance(device, str) else device.id
    return Setup(device=device_id, dtype=dtype, threads=torch.get_num_threads())


def changed(setup: Setup, **changes: Any) -> Setup:
    """The setup with something else."""
    return msgspec.structs.replace(setup, **changes)


def is_plain(setup: Setup) -> bool:
    """Whether nothing was done but to put the model on the device."""
    fields = (setup.engine, setup.precision, setup.memory_format, setup.options)
    return fields == (Setup().engine, Setup().precision, Setup().memory_format, ())


def place_model(model: nn.Module, setup: Setup) -> nn.Module:
    """The model on the device as the setup wants it; a copy, unless nothing would change."""
    is_there = setup.device == "cpu" and setup.memory_format != CHANNELS_LAST
    if is_there and setup.precision != "cast":
        return model
    placed = copy.deepcopy(model).to(setup.device)
    if setup.precision == "cast":
        placed = placed.to(dtype_of(setup))
    if setup.memory_format == CHANNELS_LAST:
        placed = placed.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    return placed


def place_inputs(inputs: Inputs, setup: Setup) -> Inputs:
    """The inputs on the device, floating-point ones in the dtype, images in the memory format."""
    moved = move_inputs(inputs, setup.device, dtype_of(setup) if setup.precision == "cast" else None)
    if setup.memory_format != CHANNELS_LAST:
        return moved
    return Inputs(map_tensors(moved.args, _channels_last), map_tensors(moved.kwargs, _channels_last))


def casting(setup: Setup) -> AbstractContextManager[Any]:
    """The autocast that belongs to the setup, to be entered around every call."""
    if setup.precision == TF32:
        return _matmuls_in_tf32()
    if setup.precision != "autocast":
        return nullcontext()
    return torch.autocast(setup.device.split(":")[0], dtype=dtype_of(setup))


@contextmanager
def _matmuls_in_tf32() -> Iterator[None]:
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def dtype_of(setup: Setup) -> torch.dtype:
    """As torch's own object."""
    found = getattr(torch, setup.dtype or PLAIN_DTYPE)
    assert isinstance(found, torch.dtype)
    return found


def use_threads(setup: Setup) -> None:
    """From now on torch uses the setup's threads, where it says how many."""
    if setup.threads is not None and setup.threads != torch.get_num_threads():
        torch.set_num_threads(setup.threads)


@contextmanager
def using_threads(count: int | None) -> Iterator[None]:
    """Within, torch uses so many; None leaves it as it is."""
    before = torch.get_num_threads()
    torch.set_num_threads(count or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def step_with_threads(count: int | None, items: Iterator[Item]) -> Iterator[Item]:
    """Every step of them with so many threads: who takes an item between two steps has torch's own number again, and
    may set it without changing the next step."""
    while True:
        with using_threads(count):
            try:
                item = next(items)
            except StopIteration:
                return
        yield item


def _channels_last(tensor: Tensor) -> Tensor:
    if tensor.dim() == IMAGE_DIMENSIONS:
        return tensor.contiguous(memory_format=torch.channels_last)
    return tensor
