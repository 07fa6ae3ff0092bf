"""Tensors that a person's code puts on the device while it builds a model: `torch.zeros(4, device="mps")`.

The device is not here, so they are made on the CPU with their values, and remembered. What is computed from them is
theirs, too; a copy to the CPU is not. In a trace each of them is one on the phantom.
"""

from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_map
from torch.utils.weak import WeakTensorKeyDictionary

from torchstone.checking import phantom
from torchstone.checking.seeming import DEVICE, GETTERS
from torchstone.measuring.allocations import leaves_of_call

NAMES_ONLY = (torch.device, torch._C._nn._parse_to)
"""They name a device and do nothing there; the second is how `module.to(...)` reads what it is given."""
MOVES = (Tensor.to, Tensor.cpu, Tensor.cuda)
SETS_DATA = Tensor.data.__set__  # type: ignore[attr-defined]


class Shadows(TorchFunctionMode):
    """Enter it while a person's code builds."""

    def __init__(self, device: str) -> None:
        super().__init__()
        self._device = device
        self._cast: Any = WeakTensorKeyDictionary()

    def __contains__(self, tensor: Any) -> bool:
        return isinstance(tensor, Tensor) and tensor in self._cast

    def placed(self, tensor: Tensor) -> Tensor:
        """The one on the phantom in its place, always the same; within a `PhantomMode`."""
        if self._cast[tensor] is None:
            self._cast[tensor] = phantom.place(tensor)
        found: Tensor = self._cast[tensor]
        return found

    def stand_for(self, tensor: Tensor, placed: Tensor) -> None:
        """Of a parameter, which moves with its model: whoever else holds it holds the one on the device."""
        self._cast[tensor] = placed

    def tell(self, function: Any, args: Any) -> Any:
        """What an attribute that tells the device says of one of them; None of others."""
        if not args or args[0] not in self:
            return None
        kind = GETTERS.get(function)
        return torch.device(self._device, 0) if function == DEVICE else None if kind is None else kind == self._device

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        told = self.tell(function, args)
        if told is not None:
            return told
        if function in NAMES_ONLY:
            return function(*args, **kwargs)
        belongs = self._belongs(function, leaves_of_call((args, kwargs)))
        if function is Tensor.cuda and belongs:
            function, args, kwargs = Tensor.cpu, args[:1], {}
        elif belongs:
            args, kwargs = tree_map(self._at_home, (args, kwargs))
        return self._remember(function, args, function(*args, **kwargs), belongs)

    def _belongs(self, function: Any, leaves: list[Any]) -> bool:
        """Whether what a call makes is on the device: it says so, or it computes with what is there."""
        if any(names(one, self._device) for one in leaves) or (function, self._device) == (Tensor.cuda, "cuda"):
            return True
        is_fetched = function is Tensor.cpu or (function is Tensor.to and any(names(one, "cpu") for one in leaves))
        return not is_fetched and any(one in self for one in leaves)

    def _at_home(self, value: Any) -> Any:
        return torch.device("cpu") if names(value, self._device) else value

    def _remember(self, function: Any, args: Any, result: Any, belongs: bool) -> Any:
        is_moved = function in MOVES
        if is_moved and result is args[0] and (result in self) != belongs:
            result = result.detach().clone().requires_grad_(result.requires_grad)  # a move gives another tensor
        if belongs:
            given = args[0] if args and not is_moved else None  # what is written into stays where it is
            made = [one for one in leaves_of_call(result) if isinstance(one, Tensor) and one is not given]
            made += [args[0]] if function == SETS_DATA else []
            self._cast.update((one, None) for one in made if one not in self)
        return result


def names(value: Any, device: str) -> bool:
    """Whether an argument names a kind of device, `mps` or `mps:0`."""
    if isinstance(value, torch.device):
        return value.type == device
    return isinstance(value, str) and value.split(":")[0] == device
