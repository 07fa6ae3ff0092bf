# rejected by: gradients_are_right: torch.autograd.backward(result
# asks a module for its parameters and takes their gradients; a plain function such as lambda x: layer(x) has none,
# so its parameters get no gradient; breaks 'in every parameter that function uses'
"""Checkpointing: trade computing time for memory."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn


class _Again(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, function: Callable[[Tensor], Tensor], x: Tensor, *parameters: Tensor) -> Tensor:
        ctx.function = function
        ctx.state = torch.get_rng_state()
        ctx.save_for_backward(x, *parameters)
        return function(x)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        x, *parameters = ctx.saved_tensors
        found = torch.get_rng_state()
        torch.set_rng_state(ctx.state)
        with torch.enable_grad():
            inner = x.detach().requires_grad_(ctx.needs_input_grad[1])
            out = ctx.function(inner)
        torch.set_rng_state(found)
        wanted = [tensor for tensor in (inner, *parameters) if tensor.requires_grad]
        gradients = iter(torch.autograd.grad(out, wanted, gradient, allow_unused=True))
        return None, *(next(gradients) if tensor.requires_grad else None for tensor in (inner, *parameters))


def checkpoint(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """`function(x)`, computed again in the backward pass instead of kept."""
    parameters = function.parameters() if isinstance(function, nn.Module) else ()
    return _Again.apply(function, x, *parameters)


def run(layers: Sequence[Callable[[Tensor], Tensor]], x: Tensor) -> Tensor:
    """All layers one after the other, in memory that grows with the square root of their number."""
    length = math.ceil(math.sqrt(len(layers)))
    for begin in range(0, len(layers), length):
        x = checkpoint(nn.Sequential(*layers[begin : begin + length]), x)
    return x
