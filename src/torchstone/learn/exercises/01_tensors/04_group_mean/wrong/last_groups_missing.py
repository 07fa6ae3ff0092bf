# rejected by: means_are_right: Shapes broadcast from the right: each pair of
# bincount without minlength: counts do not fit where the last groups are empty
import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    sums = values.new_zeros(groups, values.shape[1])
    sums.index_add_(0, labels, values)
    counts = torch.bincount(labels)
    return sums / counts.clamp(min=1).unsqueeze(1)
