# rejected by: ops_do_not_grow: ops on the smaller input
"""The mean of the rows of each group."""

from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    sums = values.new_zeros(groups, values.shape[1])
    counts = values.new_zeros(groups, 1)
    for row, label in zip(values, labels, strict=True):
        sums[label] += row
        counts[label] += 1
    return sums / counts.clamp(min=1)
