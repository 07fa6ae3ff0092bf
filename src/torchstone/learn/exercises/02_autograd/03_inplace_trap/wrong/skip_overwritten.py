# rejected by: gate_values_are_right: The caller still needs what it handed in
# "the arguments are left alone": the result is added into skip (or into what skip looks into)
import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    result = torch.sigmoid(x) * x
    with torch.no_grad():
        total = skip.add_(result)
    return result + (total - result).detach() + (skip - skip.detach())


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    """A running average over time, (time, features): how much of the old state is kept differs by step."""
    state = torch.zeros_like(signal[:1].sum(0))
    rows = []
    for t in range(len(signal)):
        state = keep[t] * state + (1 - keep[t]) * signal[t]
        rows.append(state)
    return torch.stack(rows) if rows else signal * keep
