"""One call of a model on the CPU, on a copy of it: what it gave, and what it changed meanwhile."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

from torchstone.correctness.answers import half_the_threads, run
from torchstone.correctness.leaves import Leaf, take_apart
from torchstone.models.inputs import Inputs, move_inputs

Leaves = Mapping[str, Leaf]
State = Mapping[str, Any]


@dataclass(frozen=True)
class Answered:
    """What a call gave and changed; `model` and `inputs` are as it left them."""

    model: nn.Module
    inputs: Inputs
    leaves: Leaves
    changed_state: list[str]
    changed_inputs: list[str]


@dataclass(frozen=True)
class Caller:
    """Calls copies of a model, in another dtype where one is given, and with its numbers slightly moved."""

    model: nn.Module
    inputs: Inputs
    dtype: torch.dtype | None = None
    jitter: float = 0.0

    def call(self, seed: int, model: nn.Module | None = None, inputs: Inputs | None = None) -> Answered:
        """Once; on a fresh copy and fresh inputs unless some are given."""
        model = model if model is not None else self._copy()
        inputs = inputs if inputs is not None else self._fresh_inputs()
        state, values = state_of(model), take_inputs_apart(inputs)
        with torch.random.fork_rng(devices=[]), half_the_threads():
            torch.manual_seed(seed)
            output = take_apart(run(model, inputs))
        # Copied, because an output may be one of the inputs, which the next call changes.
        leaves = {path: replace(leaf, value=_copy_of(leaf.value)) for path, leaf in output.items()}
        changed_inputs = [path for path, leaf in take_inputs_apart(inputs).items() if not same(leaf, values[path])]
        after = state_of(model)
        changed_state = sorted(name for name in state.keys() | after.keys() if not _alike(state, after, name))
        return Answered(model, inputs, leaves, changed_state, changed_inputs)

    def jittered(self, jitter: float) -> "Caller":
        """The same with inputs and weights moved by that share of each."""
        return replace(self, jitter=jitter)

    def _copy(self) -> nn.Module:
        try:
            copied = copy.deepcopy(self.model)
        except Exception:  # what refuses to be copied is called itself, if it may stay as it is
            if self.dtype is not None or self.jitter:
                raise
            return self.model
        if self.dtype is not None:
            copied = copied.to(self.dtype)
        with torch.no_grad():
            for parameter in copied.parameters() if self.jitter else ():
                parameter.copy_(_moved(parameter, self.jitter))
        return copied

    def _fresh_inputs(self) -> Inputs:
        args, kwargs = tree_map(
            lambda value: _moved(value.clone(), self.jitter) if isinstance(value, Tensor) else value,
            tuple(move_inputs(self.inputs, "cpu", self.dtype)),
        )
        return Inputs(args, kwargs)


class Draws(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Within, remembers the operators that draw random numbers."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.names: set[str] = set()

    def __torch_dispatch__(self, operator: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if torch.Tag.nondeterministic_seeded in operator.tags:
            self.names.add(str(operator._schema.name).removeprefix("aten::"))
        return operator(*args, **(kwargs or {}))


def take_inputs_apart(inputs: Any) -> Leaves:
    """Copies of the tensors of args and kwargs, under the names `args[0]` and `kwargs['mask']`."""
    args, kwargs = inputs
    named = {**{f"args[{place}]": value for place, value in enumerate(args)}}
    named |= {f"kwargs[{name!r}]": value for name, value in kwargs.items()}
    leaves = {}
    for name, value in named.items():
        for leaf in take_apart(value).values():
            path = leaf.path.replace("output", name, 1)
            leaves[path] = replace(leaf, path=path, value=_copy_of(leaf.value))
    return leaves


def state_of(model: nn.Module) -> State:
    """What a model remembers: its buffers, how often its parameters were written to, and the layers' own attributes."""
    state: dict[str, Any] = {name: buffer.detach().clone() for name, buffer in model.named_buffers()}
    state |= {name: (parameter.data_ptr(), parameter._version) for name, parameter in model.named_parameters()}
    for prefix, layer in model.named_modules():
        for name, value in vars(layer).items():
            kept = _remembered(value)
            if kept is not None and not name.startswith("_"):
                state[f"{prefix}.{name}" if prefix else name] = kept
    return state


def same(one: Leaf, other: Leaf) -> bool:
    """Whether two leaves hold the same, NaN for NaN."""
    return _equal(one.value, other.value)


def differ(one: Leaves, other: Leaves) -> bool:
    """Whether two answers are not the same in every bit."""
    return one.keys() != other.keys() or any(not same(leaf, other[path]) for path, leaf in one.items())


def active_dropouts(model: nn.Module) -> list[str]:
    """The dropout layers that drop."""
    return [
        name
        for name, layer in model.named_modules()
        if "Dropout" in type(layer).__name__ and layer.training and getattr(layer, "p", 1) > 0
    ]


def _remembered(value: Any) -> Any:
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Tensor):
        return (value.data_ptr(), value._version) if not value.is_inference() else value.clone()
    return len(value) if isinstance(value, list | dict | set | tuple) else None


def _alike(before: State, after: State, name: str) -> bool:
    return name in before and name in after and _equal(before[name], after[name])


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        if one.shape != other.shape or one.dtype is not other.dtype:
            return False
        return bool(((one == other) | ((one != one) & (other != other))).all())
    return bool(type(one) is type(other) and one == other)


def _copy_of(value: Any) -> Any:
    return value.clone() if isinstance(value, Tensor) else value


def _moved(tensor: Tensor, jitter: float) -> Tensor:
    """Each number up or down by the share, at random; the draw is the same every time."""
    if not jitter or not (tensor.is_floating_point() or tensor.is_complex()):
        return tensor
    generator = torch.Generator().manual_seed(tensor.numel())
    signs = torch.randint(0, 2, tensor.shape, generator=generator).to(tensor.real.dtype) * 2 - 1
    return tensor * (1 + jitter * signs)
