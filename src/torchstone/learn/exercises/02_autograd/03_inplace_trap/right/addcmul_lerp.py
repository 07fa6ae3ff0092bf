# earns: solved
# addcmul and lerp, out of place
"""Mend two functions that overwrite what autograd has saved."""

import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    """x · sigmoid(x) + skip."""
    return torch.addcmul(skip, x, torch.sigmoid(x))


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    """A running average over time, (time, features): how much of the old state is kept differs by step."""
    states = [torch.zeros_like(signal[:1])]
    for t in range(len(signal)):
        states.append(torch.lerp(signal[t : t + 1], states[-1], keep[t : t + 1]))
    return torch.cat(states)[1:]
