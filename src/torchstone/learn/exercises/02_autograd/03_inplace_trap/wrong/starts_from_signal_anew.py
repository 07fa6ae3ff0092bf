# rejected by: smooth_values_are_right: state = keep[t] · state + (
# starts from signal[0] instead of zero (row 0 must be (1 − keep[0]) · signal[0]); 'a running average, starting from
# zero'
"""Mend two functions that overwrite what autograd has saved."""

import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    """x · sigmoid(x) + skip."""
    return x * torch.sigmoid(x) + skip


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    """A running average over time, (time, features): how much of the old state is kept differs by step."""
    new = (1 - keep) * signal
    states = [signal[0]]
    for t in range(1, len(signal)):
        states.append(new[t] + keep[t] * states[-1])
    return torch.stack(states)
