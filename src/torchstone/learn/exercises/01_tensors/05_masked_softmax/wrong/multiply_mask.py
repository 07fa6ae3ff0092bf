# rejected by: masked_places_do_not_matter: What stands at a masked place must not even take part in the maximum
# "anything at a masked place: huge values, infinity, NaN": 0 · NaN is NaN, and the maximum sees masked places
"""A softmax over the unmasked elements that never gives NaN."""

import math

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32))
    weights = (wide - wide.amax(-1, keepdim=True)).exp() * mask
    total = weights.sum(-1, keepdim=True)
    return (weights / total.where(total > 0, 1)).to(logits.dtype)
