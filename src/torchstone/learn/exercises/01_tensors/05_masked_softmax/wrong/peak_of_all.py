# rejected by: masked_places_do_not_matter: What stands at a masked place must not even take part in
# "anything at a masked place: huge values": the largest is sought among masked places too, next to which the others
# vanish
"""A softmax over the unmasked elements that never gives NaN."""

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    work = logits if logits.dtype == torch.float64 else logits.float()
    peak = work.nan_to_num(0, 0, 0).amax(-1, keepdim=True)
    work = torch.where(mask, work, -torch.inf)
    weights = torch.exp(work - peak)
    total = weights.sum(-1, keepdim=True)
    return (weights / torch.where(total == 0, 1, total)).to(logits.dtype)
