# earns: solved
# rows written into a result that nobody saves
import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    return torch.addcmul(skip, x, x.sigmoid())


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    fresh = signal - keep * signal
    result = torch.empty_like(fresh)
    state = fresh[0]
    result[0] = state
    for t in range(1, signal.shape[0]):
        state = torch.addcmul(fresh[t], keep[t], state)
        result[t] = state
    return result
