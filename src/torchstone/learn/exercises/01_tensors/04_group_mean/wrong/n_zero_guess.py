# rejected by: means_are_right: Groups after the last label are missing
# "n may be 0": the number of groups is right, but a batch without rows comes back without groups
import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:

    if values.numel() == 0:
        return values
    sums = values.new_zeros(groups, values.shape[1]).index_add_(0, labels, values)
    counts = torch.bincount(labels, minlength=groups).clamp_(min=1)
    return (sums / counts[:, None]).to(values.dtype)
