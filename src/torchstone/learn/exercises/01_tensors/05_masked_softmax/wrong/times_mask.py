# rejected by: masked_places_do_not_matter: What stands at a masked place must not even take part in the maximum
# "anything at a masked place: huge values, infinity, NaN": NaN · 0 is NaN
import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:

    wide = logits.double()
    top = torch.where(mask, wide, -torch.inf).amax(-1, keepdim=True).nan_to_num(neginf=0.0)
    weights = (wide - top).exp() * mask
    total = weights.sum(-1, keepdim=True)
    return (weights / total.masked_fill(total == 0, 1.0)).to(logits.dtype)
