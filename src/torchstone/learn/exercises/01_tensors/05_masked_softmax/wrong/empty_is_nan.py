# rejected by: empty_rows_are_zero: In a row without a true element the
# a row without a true element gives NaN
import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    work = logits.float() if logits.dtype in (torch.float16, torch.bfloat16) else logits
    work = work.masked_fill(~mask, -torch.inf)
    top = work.amax(dim=-1, keepdim=True)
    weights = (work - top).exp()
    total = weights.sum(dim=-1, keepdim=True).clamp(min=1)
    return (weights / total).to(logits.dtype)
