# earns: solved lean
# no autograd.Function: saved-tensor hooks keep numbers only, and the first one asked for computes all again
"""Checkpointing: trade computing time for memory."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor


class _Recomputed:
    def __init__(self, function: Callable[[Tensor], Tensor], x: Tensor) -> None:
        self.function, self.x = function, x
        self.state = torch.get_rng_state()
        self.count = 0
        self.tensors: dict[int, Tensor] = {}

    def pack(self, tensor: Tensor) -> int:
        self.count += 1
        return self.count - 1

    def unpack(self, number: int) -> Tensor:
        if number not in self.tensors:
            self.tensors = {}

            def keep(tensor: Tensor) -> int:
                self.tensors[len(self.tensors)] = tensor.detach()
                return -1

            now = torch.get_rng_state()
            torch.set_rng_state(self.state)
            try:
                with torch.enable_grad(), torch.autograd.graph.saved_tensors_hooks(keep, lambda _: None):
                    self.function(self.x.detach().requires_grad_(self.x.requires_grad))
            finally:
                torch.set_rng_state(now)
        return self.tensors.pop(number)


def checkpoint(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    if not torch.is_grad_enabled():
        return function(x)
    again = _Recomputed(function, x)
    with torch.autograd.graph.saved_tensors_hooks(again.pack, again.unpack):
        return function(x)


class _Segment:
    def __init__(self, layers: Sequence[Callable[[Tensor], Tensor]]) -> None:
        self.layers = layers

    def __call__(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


def run(layers: Sequence[Callable[[Tensor], Tensor]], x: Tensor) -> Tensor:
    size = max(1, math.isqrt(len(layers)))
    for start in range(0, len(layers), size):
        x = checkpoint(_Segment(layers[start : start + size]), x)
    return x
