# rejected by: smooth_gradients_are_right: A step reaches all later rows through the
# the state is detached at each step, so no gradient reaches earlier steps
import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    gate = torch.sigmoid(x)
    return gate * x + skip


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    state = torch.zeros_like(signal[0])
    states = []
    for t in range(len(signal)):
        state = keep[t] * state.detach() + (1 - keep[t]) * signal[t]
        states.append(state)
    return torch.stack(states)
