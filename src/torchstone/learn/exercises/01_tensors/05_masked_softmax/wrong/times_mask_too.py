# rejected by: masked_places_do_not_matter: What stands at a masked place must not even take part in
# "anything at a masked place: huge values, infinity, NaN": the mask is multiplied on, so NaN and infinity come
# through
"""A softmax over the unmasked elements that never gives NaN."""

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    work = logits if logits.dtype == torch.float64 else logits.float()
    peak = torch.where(mask, work, -torch.inf).amax(-1, keepdim=True)
    peak = torch.where(peak == -torch.inf, 0, peak)
    weights = torch.exp(work - peak) * mask
    total = weights.sum(-1, keepdim=True)
    return (weights / torch.where(total == 0, 1, total)).to(logits.dtype)
