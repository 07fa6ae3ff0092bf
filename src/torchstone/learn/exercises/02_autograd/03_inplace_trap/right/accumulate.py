# earns: solved
# addcmul, and itertools.accumulate over unbound rows
"""Mend two functions that overwrite what autograd has saved."""

from itertools import accumulate

import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    """x · sigmoid(x) + skip."""
    return torch.addcmul(skip, x, x.sigmoid())


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    """A running average over time, (time, features): how much of the old state is kept differs by step."""
    if not len(signal):
        return (1 - keep) * signal
    fresh = signal - keep * signal
    pairs = zip(keep.unbind(), fresh.unbind(), strict=True)
    start = torch.zeros_like(signal[0])
    states = accumulate(pairs, lambda state, pair: torch.addcmul(pair[1], pair[0], state), initial=start)
    return torch.stack(list(states)[1:])
