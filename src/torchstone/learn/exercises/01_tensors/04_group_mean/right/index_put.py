# earns: solved lean
# index_put_ with accumulate for sums and for counts, in a wide dtype
import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """Sums and counts side by side in one table, the counts in the last column."""
    wide = torch.float64 if values.dtype is torch.float64 else torch.float32
    sums = torch.zeros((groups, values.shape[1]), dtype=wide, device=values.device)
    sums.index_put_((labels,), values.to(wide), accumulate=True)
    counts = torch.zeros(groups, dtype=torch.int64, device=values.device)
    counts.index_put_((labels,), torch.ones_like(labels, dtype=torch.int64), accumulate=True)
    empty = counts == 0
    means = sums / torch.where(empty, torch.ones_like(counts), counts).unsqueeze(1)
    return means.to(values.dtype)
