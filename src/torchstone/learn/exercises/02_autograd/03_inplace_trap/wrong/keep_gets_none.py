# rejected by: smooth_gradients_are_right: A step reaches all later rows through the state
# "right gradients for every argument": the factor of the old state is detached, so keep gets half of its gradient
import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    """x · sigmoid(x) + skip."""
    return x * torch.sigmoid(x) + skip


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    state = torch.zeros_like(signal[0])
    rows = []
    for now, share in zip(signal, keep):
        state = torch.addcmul((1 - share) * now, share.detach(), state)
        rows.append(state)
    return torch.stack(rows)
