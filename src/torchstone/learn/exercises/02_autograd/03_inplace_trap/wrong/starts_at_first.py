# rejected by: smooth_values_are_right: and row t of the result is that
# the average starts from the first row of the signal and not from zero
import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    gate = torch.sigmoid(x)
    return gate * x + skip


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    state = signal[0]
    states = []
    for t in range(len(signal)):
        state = keep[t] * state + (1 - keep[t]) * signal[t]
        states.append(state)
    return torch.stack(states)
