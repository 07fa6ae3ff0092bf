# rejected by: smooth_gradients_are_right: a write to any row
"""Mend two functions that overwrite what autograd has saved."""

import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    """x · sigmoid(x) + skip."""
    gate = torch.sigmoid(x)
    return (gate * x).add_(skip)


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    """A running average over time, (time, features): how much of the old state is kept differs by step."""
    states = (1 - keep) * signal
    for t in range(1, len(signal)):
        states[t] += (keep[t] * states[t - 1]).clone()
    return states
