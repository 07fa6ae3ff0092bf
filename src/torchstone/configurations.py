"""The setups worth trying on a device: dtypes, memory formats, torch.compile, threads; and how a model is put in one.

The plain one, eager float32 with all threads, comes first and is the baseline. On a machine without an accelerator
the others are what there is to gain.
"""

import copy
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from torchstone.models.inputs import Inputs, move_inputs
from torchstone.records import Device, Setup

COMPILE_NEEDS_S = 60.0
"""The first call of a compiled model takes 20 s and more on two cores; with less than this nothing is left to time."""
IMAGE_DIMENSIONS = 4
"""Channels last is an order of (N, C, H, W)."""


@dataclass(frozen=True)
class Configuration:
    """How a model is run, apart from the device."""

    dtype: str = "float32"
    autocast: bool = False
    """Weights stay float32 and `dtype` is chosen operator by operator, as training needs it; else all is cast."""
    memory_format: str = "contiguous"
    engine: str = "eager"
    threads: int | None = None
    """None is all that torch has."""

    @property
    def needs_s(self) -> float:
        """Seconds below which trying it is in vain."""
        return COMPILE_NEEDS_S if self.engine == "compile" else 0.0

    @property
    def is_plain(self) -> bool:
        return self == PLAIN

    @property
    def precision(self) -> str:
        return "autocast" if self.autocast else "cast" if self.dtype != "float32" else "as it is"


PLAIN = Configuration()


def worth_trying(device: Device, images: bool = True, autocast: bool = False) -> tuple[Configuration, ...]:
    """What may be faster than the plain setup, the surest first. Last what can end the process: the CPU's bfloat16.

    `images` says whether channels last can matter; `autocast` is for training.
    """
    orders = (Configuration(memory_format="channels_last"),) if images else ()
    threads = (Configuration(threads=1),) if device.kind == "cpu" and torch.get_num_threads() > 1 else ()
    compiled = (Configuration(engine="compile"),)
    narrow = ("bfloat16",) if device.kind == "cpu" else ("float16", "bfloat16")
    dtypes = tuple(Configuration(dtype=name, autocast=autocast) for name in narrow)
    if device.kind == "cpu":
        return (*orders, *threads, *compiled, *dtypes)
    return (*dtypes, *orders, *compiled)


def setup_of(configuration: Configuration, device_id: str) -> Setup:
    """The record's word for it."""
    return Setup(
        device=device_id,
        dtype=configuration.dtype,
        engine=configuration.engine,
        memory_format=configuration.memory_format,
        threads=configuration.threads or torch.get_num_threads(),
    )


def place_model(model: nn.Module, configuration: Configuration, device_id: str) -> nn.Module:
    """The model on the device as the configuration wants it; a copy, unless nothing would change."""
    if device_id == "cpu" and configuration in (PLAIN, Configuration(threads=configuration.threads)):
        return model
    placed = copy.deepcopy(model).to(device_id)
    if not configuration.autocast and configuration.dtype != "float32":
        placed = placed.to(getattr(torch, configuration.dtype))
    if configuration.memory_format == "channels_last":
        placed = placed.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    if configuration.engine == "compile":
        return torch.compile(placed)  # type: ignore[return-value]
    return placed


def place_inputs(inputs: Inputs, configuration: Configuration, device_id: str) -> Inputs:
    """The inputs on the device, floating-point ones in the dtype, images in the memory format."""
    casts = not configuration.autocast and configuration.dtype != "float32"
    moved = move_inputs(inputs, device_id, getattr(torch, configuration.dtype) if casts else None)
    if configuration.memory_format != "channels_last":
        return moved
    kwargs = {name: _channels_last(value) for name, value in moved.kwargs.items()}
    return Inputs(tuple(map(_channels_last, moved.args)), kwargs)


def casting(configuration: Configuration, device_id: str) -> AbstractContextManager[Any]:
    """The autocast that belongs to the configuration, to be entered around every call."""
    if not configuration.autocast:
        return nullcontext()
    return torch.autocast(device_id.split(":")[0], dtype=getattr(torch, configuration.dtype))


@contextmanager
def threads_of(configuration: Configuration) -> Iterator[None]:
    """Within, torch uses the configuration's threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(configuration.threads or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _channels_last(value: Any) -> Any:
    if isinstance(value, Tensor) and value.dim() == IMAGE_DIMENSIONS:
        return value.contiguous(memory_format=torch.channels_last)
    return value
