# rejected by: smooth_gradients_are_right: A step reaches all later rows through the state
# "right gradients for every argument": the old state is detached, so no gradient goes back further than one step
import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    """x · sigmoid(x) + skip."""
    return x * torch.sigmoid(x) + skip


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    states = (1 - keep) * signal
    rows = [states[0]]
    for t in range(1, len(signal)):
        rows.append(states[t] + keep[t] * rows[-1].detach())
    return torch.stack(rows)
