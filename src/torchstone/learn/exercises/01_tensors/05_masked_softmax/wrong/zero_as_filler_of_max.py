# rejected by: huge_logits_are_right: exp overflows above 88 (above 11 in half precision)
# "the softmax ... of those elements where mask is true": masked places count as 0 in the maximum, so rows of very
# negative logits underflow to zeros
import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:

    wide = torch.where(mask, logits.double(), 0.0)
    top = wide.amax(-1, keepdim=True)
    weights = torch.where(mask, (wide - top).exp(), 0.0)
    total = weights.sum(-1, keepdim=True)
    return (weights / torch.where(total == 0, 1.0, total)).to(logits.dtype)
