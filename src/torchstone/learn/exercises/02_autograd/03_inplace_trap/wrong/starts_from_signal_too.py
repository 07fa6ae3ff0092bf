# rejected by: smooth_values_are_right: state = keep[t] · state +
# "a running average, starting from zero": the first state is the first signal
"""Mend two functions that overwrite what autograd has saved."""

import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    """x · sigmoid(x) + skip."""
    gate = torch.sigmoid(x)
    return (gate * x).add_(skip)


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    """A running average over time, (time, features): how much of the old state is kept differs by step."""
    fresh = (1 - keep) * signal
    states = [signal[0]]
    for t in range(1, len(signal)):
        states.append(fresh[t] + keep[t] * states[-1])
    return torch.stack(states)
