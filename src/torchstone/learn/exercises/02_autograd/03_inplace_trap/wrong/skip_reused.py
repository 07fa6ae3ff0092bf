# rejected by: gate_values_are_right: The caller still needs what it handed in,
# skip is changed in place where it requires no gradient
import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    gate = torch.sigmoid(x)
    total = skip.clone() if skip.requires_grad else skip
    total += gate * x
    return total


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    state = torch.zeros_like(signal[0])
    states = []
    for t in range(len(signal)):
        state = keep[t] * state + (1 - keep[t]) * signal[t]
        states.append(state)
    return torch.stack(states)
