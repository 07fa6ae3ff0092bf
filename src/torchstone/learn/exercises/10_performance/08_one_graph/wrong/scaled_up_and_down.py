# rejected by: no_number_is_lost: A quiet row stays as it is
# "other rows stay as they are": times limit, then divided by it, which is infinite or 0 for very large or
# small numbers
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    loudest = x.abs().amax(1, keepdim=True)
    return x * limit / torch.where(loudest > limit, loudest, limit)
