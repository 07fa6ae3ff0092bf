"""How a model comes into a process of its own: a TARGET is loaded there, once; a person's object travels."""

from collections.abc import Callable
from functools import partial
from typing import Any

from torch import nn

from torchstone.checking.travelling import pack, unpack
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
    return partial(unpack, pack(model, inputs, light=light))
