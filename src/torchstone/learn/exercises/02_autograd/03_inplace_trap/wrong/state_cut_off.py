# rejected by: smooth_gradients_are_right: A step reaches all later rows through the state
# the old state is detached, so nothing flows back in time; 'right gradients for every argument' (time 3: signal[0]
# gets no gradient from row 2)
"""Mend two functions that overwrite what autograd has saved."""

import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    """x · sigmoid(x) + skip."""
    return x * torch.sigmoid(x) + skip


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    """A running average over time, (time, features): how much of the old state is kept differs by step."""
    new = (1 - keep) * signal
    states = [new[0]]
    for t in range(1, len(signal)):
        states.append(new[t] + keep[t] * states[-1].detach())
    return torch.stack(states)
