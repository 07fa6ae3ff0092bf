# rejected by: gate_gradients_are_right: The error is gone and the gradient is wrong
# "a change that autograd can't see gives wrong gradients instead of an error": the gate is overwritten through .data
import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    gate = torch.sigmoid(x)
    result = gate * x
    gate.data.mul_(x.data).add_(skip.data)
    return result + skip


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    """A running average over time, (time, features): how much of the old state is kept differs by step."""
    state = torch.zeros_like(signal[:1].sum(0))
    rows = []
    for t in range(len(signal)):
        state = keep[t] * state + (1 - keep[t]) * signal[t]
        rows.append(state)
    return torch.stack(rows) if rows else signal * keep
