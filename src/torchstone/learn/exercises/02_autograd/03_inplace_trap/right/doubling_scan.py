# earns: solved
# a scan that doubles its reach, without a loop over time
"""Mend two functions that overwrite what autograd has saved."""

import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    """x · sigmoid(x) + skip."""
    return torch.nn.functional.silu(x) + skip


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    """A running average over time, (time, features): how much of the old state is kept differs by step."""
    state, factor, reach = signal - keep * signal, keep, 1
    while reach < len(signal):
        state = torch.cat([state[:reach], state[reach:] + factor[reach:] * state[:-reach]])
        factor = torch.cat([factor[:reach], factor[reach:] * factor[:-reach]])
        reach *= 2
    return state.clone()
