# earns: solved
# in place where nothing was saved: add_ onto a product, rows written into a result
"""Mend two functions that overwrite what autograd has saved."""

import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    """x · sigmoid(x) + skip."""
    gate = torch.sigmoid(x)
    return torch.mul(gate, x).add_(skip)  # a product saves its factors, not its result


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    """A running average over time, (time, features): how much of the old state is kept differs by step."""
    result = torch.empty_like(signal)
    state = signal.new_zeros(signal.shape[1])
    for t in range(signal.shape[0]):
        state = keep[t] * state + (1 - keep[t]) * signal[t]
        result[t] = state
    return result
