# rejected by: masked_places_do_not_matter: What stands at a masked place must not
# the mask is multiplied in, and NaN or infinity at a masked place times 0 is NaN
import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    work = logits.float() if logits.dtype in (torch.float16, torch.bfloat16) else logits
    top = work.masked_fill(~mask, -torch.inf).amax(dim=-1, keepdim=True)
    top = top.masked_fill(top == -torch.inf, 0)
    weights = (work - top).exp() * mask
    total = weights.sum(dim=-1, keepdim=True).clamp(min=1)
    return (weights / total).to(logits.dtype)
