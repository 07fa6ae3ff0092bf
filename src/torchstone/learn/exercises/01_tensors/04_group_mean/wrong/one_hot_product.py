# rejected by: large_and_infinite_rows_count: What stands in one group is nothing to the others: 0 times
# a product with ones and zeros carries NaN into other groups; 'the mean of the rows that carry each label'
"""The mean of the rows of each group."""

from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    import torch

    sums = torch.nn.functional.one_hot(labels, groups).to(values.dtype).T @ values
    counts = values.new_zeros(groups).index_add_(0, labels, values.new_ones(len(labels)))
    # An empty group has the sum 0; dividing by at least 1 leaves it there.
    return sums / counts.clamp(min=1)[:, None]
