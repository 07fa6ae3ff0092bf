# rejected by: results_are_right: That cuts single values off
# 'a row whose largest absolute value is above `limit` is scaled so that this value becomes `limit`': single values
# are cut off
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    return x.clamp(-limit, limit)
