# earns: solved
# silu, and lerp between signal and state in an accumulate
"""Mend two functions that overwrite what autograd has saved."""

from itertools import accumulate

import torch
from torch import Tensor
from torch.nn import functional


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    """x · sigmoid(x) + skip."""
    return functional.silu(x) + skip


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    """A running average over time, (time, features): how much of the old state is kept differs by step."""
    rows = zip(signal.unbind(0), keep.unbind(0))
    states = accumulate(rows, lambda state, row: torch.lerp(row[0], state, row[1]), initial=torch.zeros_like(signal[0]))
    return torch.stack(list(states)[1:])
