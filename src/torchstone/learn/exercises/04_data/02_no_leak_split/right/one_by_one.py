# earns: solved
# groups drawn one after the other with randint, var_mean, no division of constant columns
import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    left = torch.unique(groups).tolist()
    wanted = round(share * len(left))
    wanted = 1 if wanted < 1 else len(left) - 1 if wanted >= len(left) else wanted
    test = torch.zeros(groups.shape, dtype=torch.bool, device=groups.device)
    for _ in range(wanted):
        pick = int(torch.randint(len(left), (), generator=generator))
        test |= groups == left.pop(pick)
    rows = torch.arange(len(groups), device=groups.device)
    return rows[~test], rows[test]


def standardize(features: Tensor, train: Tensor) -> Tensor:
    var, mean = torch.var_mean(features[train], dim=0, correction=0)
    low, high = torch.aminmax(features[train], dim=0)
    centered = features - mean
    return torch.where(high > low, centered / var.sqrt(), centered)
