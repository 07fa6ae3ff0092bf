# rejected by: smooth_values_are_right: and row t of the result is that
# divides by the product of all keeps, which is NaN where one of them is 0
import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    gate = torch.sigmoid(x)
    return gate * x + skip


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    product = keep.cumprod(dim=0)
    return product * ((1 - keep) * signal / product).cumsum(dim=0)
