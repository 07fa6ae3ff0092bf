# rejected by: smooth_gradients_are_right: A step reaches all later rows through the state
# "right gradients for every argument": the old state is detached
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
    states = [fresh[0]]
    for t in range(1, len(signal)):
        states.append(fresh[t] + keep[t] * states[-1].detach())
    return torch.stack(states)
