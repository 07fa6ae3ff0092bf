# rejected by: ordinary_rows_are_right: The caller still needs what it handed in
# "is the softmax of those elements": masked_fill_ writes −inf into the caller's logits
import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:

    logits.masked_fill_(~mask, -torch.inf)
    wide = logits if logits.dtype == torch.float64 else logits.float()
    top = wide.amax(-1, keepdim=True)
    weights = (wide - torch.where(top == -torch.inf, 0.0, top)).exp()
    total = weights.sum(-1, keepdim=True)
    return (weights / torch.where(total == 0, 1.0, total)).to(logits.dtype)
