# earns: solved
"""Mend two functions that overwrite what autograd has saved."""

import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    """x · sigmoid(x) + skip."""
    result = x * torch.sigmoid(x)
    return result + skip if result.shape != torch.broadcast_shapes(result.shape, skip.shape) else result.add_(skip)


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    """A running average over time, (time, features): how much of the old state is kept differs by step."""
    factor, state = keep, (1 - keep) * signal
    reach = 1
    while reach < len(signal):
        # what came `reach` steps earlier, zero (and factor one) before the beginning
        state = torch.cat([state[:reach], state[reach:] + factor[reach:] * state[:-reach]])
        factor = torch.cat([factor[:reach], factor[reach:] * factor[:-reach]])
        reach *= 2
    return state
