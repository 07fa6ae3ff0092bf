# earns: solved lean
# hooks for saved tensors: nothing is packed, and all is computed again when the first is unpacked
"""Checkpointing: trade computing time for memory."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks


def checkpoint(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """`function(x)`, computed again in the backward pass instead of kept."""
    state = torch.get_rng_state()
    numbers = 0
    again: dict[int, Tensor] = {}

    def number(_tensor: Tensor) -> int:
        nonlocal numbers
        numbers += 1
        return numbers - 1

    def look_up(place: int) -> Tensor:
        if place not in again:
            again.clear()

            def note(tensor: Tensor) -> None:
                again[len(again)] = tensor.detach()

            with torch.random.fork_rng(devices=[]), torch.enable_grad(), saved_tensors_hooks(note, lambda _: None):
                torch.set_rng_state(state)
                function(x.detach().requires_grad_(x.requires_grad))
        return again.pop(place)

    with saved_tensors_hooks(number, look_up):
        return function(x)


def run(layers: Sequence[Callable[[Tensor], Tensor]], x: Tensor) -> Tensor:
    """All layers one after the other, in memory that grows with the square root of their number."""

    def segment(begin: int, end: int) -> Callable[[Tensor], Tensor]:
        def through(signal: Tensor) -> Tensor:
            for place in range(begin, end):
                signal = layers[place](signal)
            return signal

        return through

    count = len(layers)
    pieces = math.ceil(math.sqrt(count))
    borders = [piece * count // pieces for piece in range(pieces + 1)]
    for begin, end in zip(borders, borders[1:]):
        x = checkpoint(segment(begin, end), x)
    return x
