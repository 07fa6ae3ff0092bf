# rejected by: gradients_are_right: The recomputation moved the random generator: put its state
# after the second computation the generator stands where that ended; promised: "the random generator stands
# afterwards where it would have stood without checkpointing"
"""Checkpointing: trade computing time for memory."""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks


class _Again:
    """Gives the tensors that a function saves a number, and makes them anew when they are needed."""

    def __init__(self, function: Callable[[Tensor], Tensor], x: Tensor) -> None:
        self.function, self.x = function, x
        self.random = torch.get_rng_state()
        self.count = 0
        self.tensors: list[Tensor] = []

    def pack(self, tensor: Tensor) -> int:
        self.count += 1
        return self.count - 1

    def unpack(self, number: int) -> Tensor:
        if not self.tensors:
            self.compute()
        return self.tensors[number]

    def compute(self) -> None:
        now = torch.get_rng_state()
        torch.set_rng_state(self.random)
        found: list[Tensor] = []
        with torch.enable_grad(), saved_tensors_hooks(lambda tensor: found.append(tensor.detach()), lambda _: None):
            self.function(self.x.detach().requires_grad_(self.x.requires_grad))
        del now
        self.tensors = found


class _Chain:
    def __init__(self, layers: Sequence[Callable[[Tensor], Tensor]]) -> None:
        self.layers = layers

    def __call__(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


def checkpoint(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """`function(x)`, computed again in the backward pass instead of kept."""
    again = _Again(function, x)
    with saved_tensors_hooks(again.pack, again.unpack):
        return function(x)


def run(layers: Sequence[Callable[[Tensor], Tensor]], x: Tensor) -> Tensor:
    """All layers one after the other, in memory that grows with the square root of their number."""
    size = max(1, math.isqrt(len(layers)))
    for first in range(0, len(layers), size):
        x = checkpoint(_Chain(layers[first : first + size]), x)
    return x
