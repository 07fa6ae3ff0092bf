# rejected by: means_are_right: The result should follow the dtype of its
# the result of float64 values is float32
import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    sums = torch.zeros(groups, values.shape[1], device=values.device)
    sums.index_add_(0, labels, values.float())
    counts = torch.bincount(labels, minlength=groups)
    return sums / counts.clamp(min=1).unsqueeze(1)
