# earns: solved lean
# index_put with accumulate
"""The mean of the rows of each group."""

import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    sums = values.new_zeros(groups, values.shape[1]).index_put((labels,), values, accumulate=True)
    counts = values.new_zeros(groups).index_put((labels,), values.new_ones(labels.shape), accumulate=True)
    return sums / counts.clamp(min=1)[:, None]
