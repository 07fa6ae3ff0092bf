# earns: solved lean
# scatter_add with an expanded index, counts by a comparison of sorted labels
import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:

    wide = values.double() if values.dtype == torch.float64 else values.float()
    index = labels.reshape(-1, 1).expand_as(wide)
    sums = torch.scatter_add(wide.new_zeros(groups, wide.shape[1]), 0, index, wide)
    ordered = labels.sort().values
    names = torch.arange(groups, device=labels.device)
    ends = torch.searchsorted(ordered, names, right=True)
    counts = ends - torch.searchsorted(ordered, names)
    counts = torch.maximum(counts, torch.ones_like(counts))
    return torch.div(sums, counts[:, None]).to(values.dtype)
