# rejected by: means_are_right: divide each by the number
"""The mean of the rows of each group."""

from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    return values.new_zeros(groups, values.shape[1]).index_add_(0, labels, values)
