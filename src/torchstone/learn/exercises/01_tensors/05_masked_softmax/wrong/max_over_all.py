# rejected by: masked_places_do_not_matter: What stands at a masked place must not even take part in the maximum
# "anything at a masked place: huge values": the maximum is taken over masked places too, and the rest underflows to
# zeros
import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:

    wide = logits.double().nan_to_num(0.0, 1e300, -1e300)
    top = wide.amax(-1, keepdim=True)
    weights = torch.where(mask, (wide - top).exp(), 0.0)
    total = weights.sum(-1, keepdim=True)
    return (weights / torch.where(total > 0, total, 1.0)).to(logits.dtype)
