# rejected by: means_are_right: Groups after the last label are missing
# "A group without a row is all zeros": bincount without minlength ends at the largest label
import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:

    counts = torch.bincount(labels)
    sums = values.new_zeros(len(counts), values.shape[1]).index_add_(0, labels, values)
    return (sums / counts.clamp(min=1)[:, None]).to(values.dtype)
