# rejected by: ops_do_not_grow: one operation over the whole tensor does the
# a Python loop over the columns
import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    counts = torch.bincount(labels, minlength=groups).clamp(min=1)
    sums = [torch.bincount(labels, weights=column, minlength=groups) for column in values.unbind(1)]
    return (torch.stack(sums, dim=1) / counts[:, None]).to(values.dtype)
