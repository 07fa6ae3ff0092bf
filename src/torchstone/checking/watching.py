"""Watches a model compute: the result of every function of torch that its code calls, and later the gradients.

Functions, not operators: a device decides how a function becomes operators, so that two devices call the same functions
in the same order and their results can be set side by side.
"""

import sys
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from torchstone.checking.places import Places, source_of
from torchstone.checking.rewriting import function_name
from torchstone.checking.trace import Place
from torchstone.models.inputs import tensors_in

MOST_BYTES = 2 << 30
"""Of results that are kept; what comes later is not compared."""
WITHOUT_RESULT = ("__get__", "__set__", "__repr__", "backward", "requires_grad_", "detach", "register_hook")
"""Attributes and bookkeeping: nothing is computed."""


@dataclass
class Step:
    """One call of a function."""

    name: str
    place: Place
    values: list[Tensor]
    """On the CPU."""
    inputs: list[int]
    """The identities of the tensors that went in."""
    outputs: list[Tensor]
    """Themselves, so that their identities stay theirs."""
    ops: list[str] = field(default_factory=list)
    """The operators that it became."""
    gradients: dict[int, Tensor] = field(default_factory=dict)


class Watch(TorchFunctionMode):
    """Keeps the steps of what is called within; with `train`, the gradients of their results too."""

    def __init__(self, places: Places, train: bool) -> None:
        super().__init__()
        self.steps: list[Step] = []
        self._places = places
        self._train = train
        self._bytes = 0

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = function_name(function)
        with _Operators() as operators:
            result = function(*args, **kwargs)
        if name.split(".")[-1] in WITHOUT_RESULT or self._places.phase != "forward":
            return result
        # What writes into a tensor and gives nothing back (x[1:] = y) has that tensor as its result.
        tensors = tensors_in(result) or (tensors_in(args[:1]) if result is None else [])
        if tensors and self._bytes < MOST_BYTES:
            self._keep(name, tensors, (args, kwargs), operators.names)
        return result

    def _keep(self, name: str, tensors: list[Tensor], given: Any, ops: list[str]) -> None:
        place = Place(module=self._places.module, source=source_of(sys._getframe(2)))
        values = [_read(tensor) for tensor in tensors]
        self._bytes += sum(value.nbytes for value in values)
        inputs = [id(tensor) for tensor in tensors_in(given)]
        step = Step(name, place, values, inputs, tensors if self._train else [], ops)
        self.steps.append(step)
        for number, tensor in enumerate(tensors):
            if self._train and tensor.requires_grad and tensor.grad_fn is not None:
                tensor.register_hook(_keeper(step, number))  # type: ignore[no-untyped-call]


class _Operators(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes the names of operators that compute something."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.names: list[str] = []

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if not function.is_view and function.namespace == "aten":
            self.names.append(f"aten::{function._schema.name.removeprefix('aten::')}")
        return function(*args, **(kwargs or {}))


def _read(tensor: Tensor) -> Tensor:
    return tensor.detach().to("cpu", copy=True)


def _keeper(step: Step, number: int) -> Any:
    def keep(gradient: Tensor) -> None:
        with torch.no_grad():
            step.gradients[number] = _read(gradient)

    return keep
