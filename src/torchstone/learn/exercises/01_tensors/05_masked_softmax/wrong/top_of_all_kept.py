# rejected by: masked_places_do_not_matter: What stands at a masked place must not
# the maximum is taken over masked places too, so a huge masked value leaves only zeros
import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    work = logits.float() if logits.dtype in (torch.float16, torch.bfloat16) else logits
    top = work.nan_to_num(posinf=0.0).amax(dim=-1, keepdim=True)
    weights = torch.where(mask, (work - top).exp(), 0)
    total = weights.sum(dim=-1, keepdim=True)
    return (weights / total.masked_fill(total == 0, 1)).to(logits.dtype)
