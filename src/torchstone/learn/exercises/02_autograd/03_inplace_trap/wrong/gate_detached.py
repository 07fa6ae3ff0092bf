# rejected by: gate_gradients_are_right: In x · sigmoid(x) both factors depend on x
# "right gradients for every argument": the gate is detached, and x misses half of its gradient
import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    gate = torch.sigmoid(x).detach()
    return gate.mul(x).add_(skip)


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    """A running average over time, (time, features): how much of the old state is kept differs by step."""
    state = torch.zeros_like(signal[:1].sum(0))
    rows = []
    for t in range(len(signal)):
        state = keep[t] * state + (1 - keep[t]) * signal[t]
        rows.append(state)
    return torch.stack(rows) if rows else signal * keep
