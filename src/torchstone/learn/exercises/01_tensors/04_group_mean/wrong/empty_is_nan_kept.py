# rejected by: means_are_right: already, so divide by at least
# an empty group gives NaN
import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    sums = values.new_zeros(groups, values.shape[1])
    sums.index_add_(0, labels, values)
    counts = torch.bincount(labels, minlength=groups)
    return sums / counts.unsqueeze(1)
