# rejected by: smooth_gradients_are_right: A step reaches all later rows through the state: earlier
# the state is cut off every 256 steps; 'right gradients for every argument'
"""Mend two functions that overwrite what autograd has saved."""

import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    """x · sigmoid(x) + skip."""
    gate = torch.sigmoid(x)
    # sigmoid saved its result, so the product gets memory of its own; nobody saves the product, so that may change.
    return (gate * x).add_(skip)


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    """A running average over time, (time, features): how much of the old state is kept differs by step."""
    state = torch.zeros_like(signal[0])
    states = []
    for t in range(len(signal)):
        # A new tensor for each step: the product saves the old state, and a row of one large tensor would count as
        # changed with every write to another row.
        state = keep[t] * state + (1 - keep[t]) * signal[t]
        states.append(state)
        if t % 256 == 255:
            state = state.detach()
    return torch.stack(states)
