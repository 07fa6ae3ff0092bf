# earns: solved lean
# each row divided by the size of its group, then put in its place with accumulate
import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    everyone = torch.arange(groups, device=labels.device)
    ranked = labels.sort().values
    sizes = torch.searchsorted(ranked, everyone, right=True) - torch.searchsorted(ranked, everyone)
    shares = values / sizes[labels].unsqueeze(-1)
    return torch.zeros_like(values[:1]).new_zeros(groups, values.size(1)).index_put((labels,), shares, accumulate=True)
