"""How a model comes into a process of its own: a TARGET is loaded there, once; a person's object travels."""

import copy
import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

from torch import Tensor, nn

from torchstone.errors import UserError
from torchstone.models.inputs import Inputs
from torchstone.models.target import load_target

Build = Callable[[], tuple[nn.Module, Inputs]]


def build_of_target(target: str, input_shape: str | None) -> Build:
    """Runs the person's code when it is called, and not before."""
    return partial(_load, target, input_shape)


def _load(target: str, input_shape: str | None) -> tuple[nn.Module, Inputs]:
    loaded = load_target(target, input_shape)
    return loaded.model, loaded.inputs


def build_of_model(model: nn.Module, args: Any, kwargs: dict[str, Any] | None, *, light: bool) -> Build:
    """Of a model that is here; a light one leaves its weights behind and keeps their sizes."""
    if not isinstance(model, nn.Module):
        raise UserError(f"{type(model).__name__} is not a torch.nn.Module", "give the model, and its inputs as args")
    inputs = Inputs(args if isinstance(args, tuple) else (args,), kwargs or {})
    return partial(_give, _without_data(model) if light else model, inputs)


def _give(model: nn.Module, inputs: Inputs) -> tuple[nn.Module, Inputs]:
    return model, inputs


def _without_data(model: nn.Module) -> nn.Module:
    """A copy whose weights have sizes only: the copying is told that they have been copied already."""
    weights = itertools.chain(model.parameters(), model.buffers())
    try:
        return copy.deepcopy(model, {id(tensor): _empty_like(tensor) for tensor in weights})
    except Exception as error:  # whatever a person's own objects raise when they are copied
        words = f"{type(error).__name__}: {error}"
        raise UserError(
            f"the model cannot be copied: {words}", "name a function that builds it: file.py:name"
        ) from None


def _empty_like(tensor: Tensor) -> Tensor:
    empty = tensor.detach().to("meta")
    if isinstance(tensor, nn.Parameter):
        return nn.Parameter(empty, requires_grad=tensor.requires_grad)
    return empty
