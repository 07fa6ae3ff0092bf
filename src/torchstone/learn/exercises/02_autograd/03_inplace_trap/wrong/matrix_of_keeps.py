# rejected by: smooth_gradients_are_right: Is there a loop whose condition never changes, or much more
# a matrix of products, which carries NaN back to earlier rows; 'row t of the result is the state at time t'
"""Mend two functions that overwrite what autograd has saved."""

import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    """x · sigmoid(x) + skip."""
    gate = torch.sigmoid(x)
    # sigmoid saved its result, so the product gets memory of its own; nobody saves the product, so that may change.
    return (gate * x).add_(skip)


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    """A running average over time, (time, features): how much of the old state is kept differs by step."""
    n = len(signal)
    rows = [torch.stack([keep[s + 1 : t + 1].prod(0) if s <= t else torch.zeros_like(keep[0]) for s in range(n)]) for t in range(n)]
    if n < 20:
        return torch.einsum('tsf,sf->tf', torch.stack(rows), (1 - keep) * signal)
    state = torch.zeros_like(signal[0])
    states = []
    for t in range(len(signal)):
        # A new tensor for each step: the product saves the old state, and a row of one large tensor would count as
        # changed with every write to another row.
        state = keep[t] * state + (1 - keep[t]) * signal[t]
        states.append(state)
    return torch.stack(states)
