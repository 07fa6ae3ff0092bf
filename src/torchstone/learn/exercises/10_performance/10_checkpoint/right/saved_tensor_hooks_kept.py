# earns: solved lean
# hooks on saved tensors that recompute a segment when one of them is unpacked
"""Checkpointing by hooks: what autograd would save is thrown away, and made again when it is asked for."""

import functools
import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks


class Again:
    """The saved tensors of one segment, by their number; computed again when the first of them is needed."""

    def __init__(self, function: Callable[[Tensor], Tensor], x: Tensor) -> None:
        self.function, self.x = function, x
        self.state = torch.get_rng_state()
        self.number = 0
        self.tensors: dict[int, Tensor] = {}

    def pack(self, tensor: Tensor) -> int:
        self.number += 1
        return self.number - 1

    def unpack(self, number: int) -> Tensor:
        if number not in self.tensors:
            self.compute()
        return self.tensors.pop(number)

    def compute(self) -> None:
        """Run the function once more and keep what it saves."""
        self.tensors = {}

        def keep(tensor: Tensor) -> None:
            self.tensors[len(self.tensors)] = tensor.detach()

        with torch.random.fork_rng(devices=[]):
            torch.set_rng_state(self.state)
            with torch.enable_grad(), saved_tensors_hooks(keep, lambda nothing: nothing):
                self.function(self.x.detach().requires_grad_(self.x.requires_grad))


def checkpoint(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """`function(x)`, computed again in the backward pass instead of kept."""
    again = Again(function, x)
    with saved_tensors_hooks(again.pack, again.unpack):
        return function(x)


def run(layers: Sequence[Callable[[Tensor], Tensor]], x: Tensor) -> Tensor:
    """All layers one after the other, in memory that grows with the square root of their number."""
    count = math.ceil(math.sqrt(len(layers)))
    edges = [len(layers) * part // count for part in range(count + 1)]
    segments = (layers[start:stop] for start, stop in zip(edges, edges[1:], strict=False))
    for segment in segments:
        whole = functools.partial(functools.reduce, lambda value, layer: layer(value), list(segment))
        x = checkpoint(whole, x)
    return x
