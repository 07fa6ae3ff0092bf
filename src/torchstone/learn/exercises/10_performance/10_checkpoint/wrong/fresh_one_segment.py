# rejected by: fits_the_budget: One segment of all layers computes everything again at once;
# all layers are one segment, and in the backward pass all activations are there at once; promised: "in segments such
# that the memory grows with the square root of the number of layers", "at most half of the memory that the plain pass
# needs"
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
        try:
            with torch.enable_grad(), saved_tensors_hooks(lambda tensor: found.append(tensor.detach()), lambda _: None):
                self.function(self.x.detach().requires_grad_(self.x.requires_grad))
        finally:
            torch.set_rng_state(now)
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
    size = max(1, len(layers))
    for first in range(0, len(layers), size):
        x = checkpoint(_Chain(layers[first : first + size]), x)
    return x
