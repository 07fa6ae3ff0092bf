# rejected by: means_are_right: the result of group
# sums[labels] += values counts one row of each group only
import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    sums = values.new_zeros(groups, values.shape[1])
    sums[labels] += values
    counts = torch.bincount(labels, minlength=groups)
    return sums / counts.clamp(min=1).unsqueeze(1)
