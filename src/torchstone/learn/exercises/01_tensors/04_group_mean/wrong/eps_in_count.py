# rejected by: means_are_exact: The sum divided by the count, in the dtype of the values:
# 1e-8 is added to each count; 'the mean of the rows that carry each label'
"""The mean of the rows of each group."""

from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    sums = values.new_zeros(groups, values.shape[1]).index_add_(0, labels, values)
    counts = values.new_zeros(groups).index_add_(0, labels, values.new_ones(len(labels)))
    # An empty group has the sum 0; dividing by at least 1 leaves it there.
    return sums / (counts + 1e-8)[:, None]
