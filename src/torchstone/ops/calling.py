"""One call of an operator: on the device, on the CPU and in float64; its answer, what it left in its arguments, what it
warned of and what it raised."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from torchstone.ops.arguments import held_now
from torchstone.ops.operators import Operator, Sample
from torchstone.ops.placing import CPU, map_leaves, place, tensors, wide_by_default, widen

SEED = 20260
"""Before each call: what draws at random draws the same on the CPU twice."""


@dataclass
class Called:
    """How a call ended."""

    output: Any = None
    """Its outputs, on the CPU."""
    error: Exception | None = None
    fell_back: str | None = None
    """The warning that said so."""
    raw: Any = None
    """The outputs as they came, for a gradient."""
    inputs: list[torch.Tensor] = field(default_factory=list)
    """The tensors that require a gradient, as they were given."""
    given: list[torch.Tensor] = field(default_factory=list)
    """All tensors among the arguments, where they were given."""
    before: list[torch.Tensor] = field(default_factory=list)
    """What these held, on the CPU."""
    after: list[torch.Tensor] = field(default_factory=list)
    """What the call left in them, on the CPU."""


def call_on(operator: Operator, sample: Sample, device: torch.device, seed: int = SEED) -> Called:
    """There, in the sample's own dtype."""
    return _call(operator, sample, lambda value: place(value, device), seed)


def call_wide(operator: Operator, sample: Sample) -> Called:
    """On the CPU, in float64."""
    with wide_by_default():
        return _call(operator, sample, widen, SEED)


def _call(operator: Operator, sample: Sample, prepare: Callable[[Any], Any], seed: int) -> Called:
    called = Called()
    torch.manual_seed(seed)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            args, kwargs = prepare((sample.args, dict(sample.kwargs)))
            called.given = tensors((args, kwargs))
            called.inputs = [leaf for leaf in called.given if leaf.requires_grad]
            called.before = tensors((sample.args, dict(sample.kwargs)))
            called.raw = operator.call(*args, **kwargs)
            called.output = _brought_back(called.raw)
            called.after = held_now(called.given)
        except Exception as error:  # the exception is the result
            called.error = error
    called.fell_back = _fall_back_in(caught)
    return called


def _brought_back(output: Any) -> Any:
    return map_leaves(output, lambda leaf: leaf.detach().to(CPU) if isinstance(leaf, torch.Tensor) else leaf)


def _fall_back_in(caught: list[warnings.WarningMessage]) -> str | None:
    texts = (str(warning.message) for warning in caught)
    return next((text for text in texts if "fall" in text.lower() and "cpu" in text.lower()), None)


def gradients(called: Called, sample: Sample, directions: list[torch.Tensor]) -> Called:
    """Of all inputs of a call, along directions that are the same everywhere."""
    found = Called(inputs=called.inputs)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            outputs = differentiable(called, sample)
            along = [way.to(output.dtype).to(output.device) for way, output in zip(directions, outputs, strict=True)]
            found.before = [*called.after, *held_now(along)]
            given = torch.autograd.grad(outputs, called.inputs, along, allow_unused=True)
            found.output = [one if one is None else one.detach().to(CPU) for one in given]
            found.after = held_now([*called.given, *along])
        except Exception as error:  # the exception is the result
            found.error = error
    found.fell_back = _fall_back_in(caught)
    return found


def differentiable(called: Called, sample: Sample) -> list[torch.Tensor]:
    """The outputs that a gradient can be taken of."""
    return [output for output in tensors(sample.finish(called.raw)) if output.requires_grad]


def draw_directions(outputs: list[torch.Tensor]) -> list[torch.Tensor]:
    """One for each output; in a narrow dtype exactly what they are in a wide one."""
    torch.manual_seed(SEED)
    return [_direction(output) for output in outputs]


def _direction(output: torch.Tensor) -> torch.Tensor:
    steps = torch.randint(-8, 9, output.shape, dtype=torch.float32) / 8
    if not output.is_complex():
        return steps
    return torch.complex(steps, torch.randint(-8, 9, output.shape, dtype=torch.float32) / 8)
