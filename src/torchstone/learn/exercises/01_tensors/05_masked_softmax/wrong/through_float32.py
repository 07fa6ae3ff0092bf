# rejected by: ordinary_rows_are_right: the result of masked_softmax is
# "right in float32, float64, ...": float64 passes through float32 and loses half its digits
import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:

    low = torch.where(mask, logits.float(), -torch.inf)
    top = low.amax(-1, keepdim=True)
    weights = (low - torch.where(top.isinf(), 0.0, top)).exp()
    total = weights.sum(-1, keepdim=True)
    return (weights / torch.where(total == 0, 1.0, total)).to(logits.dtype)
