# rejected by: gate_values_are_right: changed its argument
"""Mend two functions that overwrite what autograd has saved."""

import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    """x · sigmoid(x) + skip."""
    return x.mul_(torch.sigmoid(x)).add_(skip)


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    """A running average over time, (time, features): how much of the old state is kept differs by step."""
    state = torch.zeros_like(signal[0])
    states = []
    for t in range(len(signal)):
        state = keep[t] * state + (1 - keep[t]) * signal[t]
        states.append(state)
    return torch.stack(states)
