# rejected by: large_and_infinite_rows_count: A group may have more rows than half precision counts
# counts in half precision; 'some groups are large'
"""The mean of the rows of each group."""

import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    sums = values.new_zeros(groups, values.shape[1]).index_add_(0, labels, values)
    counts = values.new_zeros(groups, dtype=torch.float16).index_add_(
        0, labels, torch.ones_like(labels, dtype=torch.float16)
    )
    # An empty group has the sum 0; dividing by at least 1 leaves it there.
    return sums / counts.clamp(min=1)[:, None].to(values.dtype)
