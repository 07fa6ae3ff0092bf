# rejected by: means_are_right: whole task in one call
"""The mean of the rows of each group."""

from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    means = values.new_zeros(groups, values.shape[1])
    return means.index_reduce_(0, labels, values, "mean", include_self=False)
