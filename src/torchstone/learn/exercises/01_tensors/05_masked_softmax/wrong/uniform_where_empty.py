# rejected by: empty_rows_are_zero: In a row without a true element the sum is 0 and 0/0 is NaN: such a
# "a row without a single true element, which gives zeros": a finite filler makes it uniform instead
import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:

    wide = logits.double()
    low = torch.where(mask, wide, torch.finfo(wide.dtype).min)
    weights = (low - low.amax(-1, keepdim=True)).exp()
    return (weights / weights.sum(-1, keepdim=True)).to(logits.dtype)
