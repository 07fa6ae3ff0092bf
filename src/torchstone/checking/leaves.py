"""The arguments and results of a call: which are tensors on the phantom, and how a trace tells them."""

from functools import cache
from typing import Any

import torch
from torch import Tensor

from torchstone.checking import phantom


def on_phantom(leaves: list[Any]) -> list[Tensor]:
    """The tensors that are there."""
    return [one for one in leaves if isinstance(one, Tensor) and one.device.type == phantom.NAME]


def without_numbers(given: list[Any]) -> list[Any]:
    """Beside a tensor of the device, one of the host without dimensions is a number: its dtype does not count."""
    if not on_phantom(given):
        return given
    return [one for one in given if not (isinstance(one, Tensor) and one.dim() == 0 and one.device.type == "cpu")]


def held_there(given: list[Any]) -> list[Any]:
    """Those whose dtype the device must have. A tensor of the host that is copied there is cast before (copy_to_mps_ in
    ATen/native/mps/operations/Copy.mm; other devices have all dtypes), and one that stays is none of its own."""
    if not any(_is_there(leaf) for leaf in given):
        return given
    return [one for one in given if not (isinstance(one, Tensor) and one.device.type == "cpu")]


def _is_there(leaf: Any) -> bool:
    """A tensor on the phantom, or the phantom by its name."""
    device = leaf.device if isinstance(leaf, Tensor) else leaf
    return isinstance(device, torch.device) and device.type == phantom.NAME


def doubles(leaves: list[Any]) -> list[Tensor]:
    """The tensors of 64 bits a part."""
    return [one for one in leaves if isinstance(one, Tensor) and one.dtype in (torch.float64, torch.complex128)]


def describe(leaves: list[Any]) -> tuple[str, ...]:
    """The dtype of each tensor, and its layout where that is none of the usual."""
    return tuple(_describe_tensor(leaf.dtype, phantom.layout_of(leaf)) for leaf in leaves if isinstance(leaf, Tensor))


@cache
def _describe_tensor(dtype: torch.dtype, layout: torch.layout) -> str:
    return name_of(dtype) + ("" if layout is torch.strided else f":{name_of(layout)}")


def name_of(value: Any) -> str:
    """A dtype or layout without torch's name."""
    return str(value).removeprefix("torch.")
