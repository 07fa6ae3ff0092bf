"""A person's own model: find what TARGET names and what to call it with, and explain every mistake.

    path/to/file.py:name     a function that returns `model, args` or `model, args, kwargs` (a DataLoader may be args),
    package.module:name      or an nn.Module class or instance, with an input shape
    zoo:NAME                 a model that we ship
    hf:PATH                  a folder with a transformers config.json

What the model is comes from somebody else's code, so nothing is taken for granted about it.
"""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader

from torchstone.data.seeding import generator, seeded
from torchstone.errors import UserError
from torchstone.models import zoo
from torchstone.models.config_folder import load_config_folder
from torchstone.models.foreign import call_explained, import_name, importable_from
from torchstone.models.inputs import Inputs
from torchstone.models.loader import take_first_batch
from torchstone.models.naming import require_target
from torchstone.models.shapes import SHAPE_HINT, parse_shape

FUNCTION_HINT = "write a function without arguments that returns both: def target(): return model, (input,)"

COMPUTING = (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128)


@dataclass(frozen=True)
class Target:
    """A model and what it is called with: `target.model(*target.inputs.args, **target.inputs.kwargs)`."""

    name: str
    """As the person wrote it."""
    model: nn.Module
    inputs: Inputs
    weights: str = "as the target made them"
    loader: "DataLoader[Any] | None" = None
    """Where one was given in place of inputs."""


def load_target(name: str, input_shape: str | None = None, seed: int = 0, batch: int = 1) -> Target:
    """All on the CPU, random weights and inputs from `seed`; `batch` counts where the inputs are ours to make."""
    require_target(name)
    kind, _, rest = name.partition(":")
    if kind == "zoo":
        _refuse_shape(input_shape, name)
        return _load_zoo(name, rest, seed, batch)
    if kind == "hf":
        shape = None if input_shape is None else parse_shape(input_shape)
        model, inputs, weights = load_config_folder(rest, shape, seed, batch)
        return Target(name, model, inputs, weights)
    return _load_foreign(name, input_shape, seed)


def _refuse_shape(input_shape: str | None, name: str) -> None:
    if input_shape is not None:
        raise UserError(f"{name} brings its own inputs", "leave --input out")


def _load_zoo(name: str, zoo_name: str, seed: int, batch: int) -> Target:
    module = zoo.load_zoo_model(zoo_name)
    weights = "pre-trained" if module.FACTS.pretrained else "random"
    return Target(name, module.build(seed), module.example_inputs(batch, seed), weights)


def _load_foreign(name: str, input_shape: str | None, seed: int) -> Target:
    place, _, attribute = name.rpartition(":")
    shape = None if input_shape is None else parse_shape(input_shape)
    with importable_from(place), seeded(seed):
        found = import_name(place, attribute)
        made = found if isinstance(found, nn.Module) else _call(name, found)
        model, inputs = _take_apart(name, made, shape, seed)
    return Target(name, model, inputs, loader=_loader_in(made))


def _loader_in(made: Any) -> "DataLoader[Any] | None":
    given = made[1] if isinstance(made, tuple | list) else None
    return given if isinstance(given, DataLoader) else None


def _call(name: str, found: Any) -> Any:
    """What the function returns, or an instance of the class."""
    if isinstance(found, type) and not issubclass(found, nn.Module):
        raise UserError(f"{name} is a class, but not one of nn.Module", FUNCTION_HINT)
    if not callable(found):
        raise UserError(f"{name} is {_describe(found)}: neither a model nor a function", FUNCTION_HINT)
    missing = _required_parameters(found)
    if missing:
        raise UserError(f"{name} needs arguments: {', '.join(missing)}", FUNCTION_HINT)
    return call_explained(name, found, "it must return the model; exit ends the whole program")


def _required_parameters(function: Any) -> list[str]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # some built-in functions have no signature
        return []
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [each.name for each in parameters if each.default is each.empty and each.kind not in variable]


def _take_apart(name: str, made: Any, shape: tuple[int, ...] | None, seed: int) -> tuple[nn.Module, Inputs]:
    if isinstance(made, nn.Module):
        return made, _random_input(name, made, shape, seed)
    if not isinstance(made, (tuple, list)) or len(made) not in (2, 3):
        raise UserError(f"{name} returned {_describe(made)}, not a model with its inputs", FUNCTION_HINT)
    if shape is not None:
        raise UserError(f"{name} returns its own inputs", "leave --input out")
    model, args, kwargs = (*made, {}) if len(made) == 2 else made
    if not isinstance(model, nn.Module):
        raise UserError(
            f"{name} returned {_describe(model)} where the model should stand, not an nn.Module", FUNCTION_HINT
        )
    if isinstance(args, DataLoader):
        batch = take_first_batch(name, args, model)
        return model, Inputs(batch.args, {**batch.kwargs, **_check_kwargs(name, kwargs)})
    return model, Inputs(_check_args(name, args), _check_kwargs(name, kwargs))


def _check_args(name: str, args: Any) -> tuple[Any, ...]:
    if isinstance(args, Tensor):
        return (args,)
    if isinstance(args, (tuple, list)):
        return tuple(args)
    if isinstance(args, Mapping):
        raise UserError(
            f"{name} returned a dict where the positional arguments should stand",
            "for keyword arguments return three things: model, (), kwargs",
        )
    raise UserError(f"{name} returned {_describe(args)} as the model's arguments", FUNCTION_HINT)


def _check_kwargs(name: str, kwargs: Any) -> dict[str, Any]:
    if isinstance(kwargs, Mapping) and all(isinstance(key, str) for key in kwargs):
        return dict(kwargs)
    raise UserError(f"{name} returned {_describe(kwargs)} as keyword arguments", "return a dict with names as keys")


def _random_input(name: str, model: nn.Module, shape: tuple[int, ...] | None, seed: int) -> Inputs:
    if shape is None:
        raise UserError(f"{name} gives a model, but not what to call it with", f"{SHAPE_HINT}; or {FUNCTION_HINT}")
    inputs = Inputs((torch.randn(shape, generator=generator(seed)).to(_dtype_taken(model)),), {})
    try:
        inspect.signature(model.forward).bind(*inputs.args)
    except TypeError as error:
        raise UserError(f"{name} cannot be called with one input: {error}", FUNCTION_HINT) from None
    except ValueError:  # a scripted forward has no signature; calling it will tell
        pass
    return inputs


def _dtype_taken(model: nn.Module) -> torch.dtype:
    """Of its first weight, which most often meets the input; torch's own where it has none. What only stores numbers
    (float8) is no dtype of an input."""
    weights = (tensor for tensor in (*model.parameters(), *model.buffers()) if tensor.dtype in COMPUTING)
    return next((tensor.dtype for tensor in weights), torch.get_default_dtype())


def _describe(value: Any) -> str:
    if value is None:
        return "nothing (None)"
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    return f"a {type(value).__name__}"
