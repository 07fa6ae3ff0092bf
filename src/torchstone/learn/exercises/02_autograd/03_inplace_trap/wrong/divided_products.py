# rejected by: smooth_values_are_right: state = keep[t] · state + (
# without a loop, by dividing through the running product of keep: NaN where keep is 0; 'state = keep[t] · state +
# (1 − keep[t]) · signal[t]' (keep[1] = 0)
"""Mend two functions that overwrite what autograd has saved."""

import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    """x · sigmoid(x) + skip."""
    return x * torch.sigmoid(x) + skip


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    """A running average over time, (time, features): how much of the old state is kept differs by step."""
    kept = keep.cumprod(dim=0)
    return kept * ((1 - keep) * signal / kept).cumsum(dim=0)
