# earns: solved
# silu, and lerp over accumulate
from itertools import accumulate

import torch
from torch import Tensor
from torch.nn import functional


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    return functional.silu(x) + skip


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    start = torch.zeros_like(signal[0])
    pairs = zip(signal.unbind(0), keep.unbind(0), strict=True)
    states = accumulate(pairs, lambda state, pair: torch.lerp(pair[0], state, pair[1]), initial=start)
    return torch.stack(list(states)[1:])
