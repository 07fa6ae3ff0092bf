# rejected by: smooth_values_are_right: state = keep[t] · state + (1 − keep[t]) · signal[t], and row t
# a closed form divides by the product of all keeps: NaN where one is 0 or many are small; 'state = keep[t] · state
# + (1 − keep[t]) · signal[t]'
"""Mend two functions that overwrite what autograd has saved."""

import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    """x · sigmoid(x) + skip."""
    return torch.addcmul(skip, x, torch.sigmoid(x))


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    """A running average over time, (time, features): how much of the old state is kept differs by step."""
    kept = keep.cumprod(0)
    return kept * ((1 - keep) * signal / kept).cumsum(0)
