# rejected by: large_and_infinite_rows_count: The rows of one group are rounded away beside those of another
# "the mean of the rows that carry each label": differences of one running sum carry the rounding (and a NaN) of
# earlier groups into later ones
import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:

    order = labels.argsort(stable=True)
    running = torch.cat([values.new_zeros(1, values.shape[1]), values[order].cumsum(0)])
    counts = torch.bincount(labels, minlength=groups)
    ends = counts.cumsum(0)
    sums = running[ends] - running[ends - counts]
    return (sums / counts.clamp(min=1)[:, None]).to(values.dtype)
