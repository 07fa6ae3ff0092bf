# rejected by: smooth_values_are_right: state = keep[t] · state +
# "time at least 1": fails where there is one step alone
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
    state, later = fresh[0], []
    for t in range(1, len(signal)):
        state = fresh[t] + keep[t] * state
        later.append(state)
    return torch.cat([fresh[:1], torch.stack(later)])
