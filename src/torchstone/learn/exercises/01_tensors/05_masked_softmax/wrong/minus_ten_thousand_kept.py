# rejected by: huge_logits_are_right: in half precision): take the row's largest logit
# masked places become -10,000 before the maximum: true logits far below that are lost
import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    work = logits.float() if logits.dtype in (torch.float16, torch.bfloat16) else logits
    work = work.masked_fill(~mask, -10000.0)
    top = work.amax(dim=-1, keepdim=True)
    weights = (work - top).exp().masked_fill(~mask, 0)
    total = weights.sum(dim=-1, keepdim=True)
    total = total.masked_fill(total == 0, 1)
    return (weights / total).to(logits.dtype)
