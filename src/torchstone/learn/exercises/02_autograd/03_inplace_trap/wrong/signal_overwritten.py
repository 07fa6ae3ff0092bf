# rejected by: smooth_values_are_right: The caller still needs what it handed in
# "the arguments are left alone": the running average is written into the signal
import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    """x · sigmoid(x) + skip."""
    return x * torch.sigmoid(x) + skip


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    state = torch.zeros_like(signal[0])
    rows = []
    for t in range(len(signal)):
        state = keep[t] * state + (1 - keep[t]) * signal[t]
        rows.append(state)
    result = torch.stack(rows)
    signal.data.copy_(result.data)
    return result
