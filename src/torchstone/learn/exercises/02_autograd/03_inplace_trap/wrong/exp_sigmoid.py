# rejected by: gate_gradients_are_right: The error is gone and the gradient is wrong, so silence is no
# the gradient is NaN for very negative x, where exp overflows; 'right values and right gradients for every
# argument'
"""Mend two functions that overwrite what autograd has saved."""

import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    """x · sigmoid(x) + skip."""
    return x / (1 + torch.exp(-x)) + skip


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    """A running average over time, (time, features): how much of the old state is kept differs by step."""
    new = (1 - keep) * signal
    state = torch.zeros_like(signal[0])
    states = []
    for t in range(len(signal)):
        state = keep[t] * state + new[t]
        states.append(state)
    return torch.stack(states)
