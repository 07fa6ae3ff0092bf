# rejected by: smooth_values_are_right: state = keep[t] · state + (1 − keep[t]) · signal[t], and row
# divides by the product of keep, which gives NaN where keep is 0; 'state = keep[t] · state + (1 − keep[t]) ·
# signal[t], and row t of the result is the state at time t'
"""Mend two functions that overwrite what autograd has saved."""

import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    """x · sigmoid(x) + skip."""
    return torch.sigmoid(x) * x + skip


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    """A running average over time, (time, features): how much of the old state is kept differs by step."""
    new = (1 - keep) * signal
    kept = keep.cumprod(0)
    return kept * (new / kept).cumsum(0)
