# rejected by: large_and_infinite_rows_count: What stands in one group is nothing to the others
"""The mean of the rows of each group."""

from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    means = values.new_zeros(groups, values.shape[1])
    for group in range(groups):
        chosen = (labels == group).to(values.dtype)
        means[group] = (values * chosen[:, None]).sum(0) / chosen.sum().clamp(min=1)
    return means
