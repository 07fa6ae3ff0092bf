# rejected by: large_and_infinite_rows_count: A row with an infinite number has an infinite mean
# "the mean of the rows that carry each label": nan_to_num hides the empty groups, and every real NaN and infinity
# with them
import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:

    sums = values.new_zeros(groups, values.shape[1]).index_add_(0, labels, values)
    counts = torch.bincount(labels, minlength=groups)
    return torch.nan_to_num(sums / counts[:, None]).to(values.dtype)
