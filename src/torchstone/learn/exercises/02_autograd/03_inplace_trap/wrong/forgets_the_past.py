# rejected by: smooth_gradients_are_right: A step reaches all later rows through the state: earlier
# the old state is cut off, so that early steps get no gradient from later ones; 'right gradients for every argument'
"""Mend two functions that overwrite what autograd has saved."""

from itertools import accumulate

import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    """x · sigmoid(x) + skip."""
    gate = torch.sigmoid(x)
    return torch.addcmul(skip, x, gate)


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    """A running average over time, (time, features): how much of the old state is kept differs by step."""
    new = (1 - keep) * signal
    if len(signal) == 0:
        return new

    def advance(old: Tensor, step: tuple[Tensor, Tensor]) -> Tensor:
        part, share = step
        return share * old.detach() + part

    steps = zip(new[1:].unbind(), keep[1:].unbind(), strict=True)
    return torch.stack(list(accumulate(steps, advance, initial=new[0])))
