# rejected by: long_rows_in_half_precision: The sum of a long row passes
# the sum of a long row is taken in half precision, where 70,000 ones are infinity
import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    work = logits
    work = work.masked_fill(~mask, -torch.inf)
    top = work.amax(dim=-1, keepdim=True)
    top = top.masked_fill(top == -torch.inf, 0)
    weights = (work - top).exp()
    total = weights.sum(dim=-1, keepdim=True).clamp(min=1)
    return (weights / total).to(logits.dtype)
