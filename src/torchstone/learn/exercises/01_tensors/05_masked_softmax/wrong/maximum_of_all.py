# rejected by: masked_places_do_not_matter: take part in the maximum
"""A softmax over the unmasked elements that never gives NaN."""

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32))
    weights = (wide - wide.amax(-1, keepdim=True)).exp().masked_fill(~mask, 0)
    total = weights.sum(-1, keepdim=True)
    return (weights / total.masked_fill(total == 0, 1)).to(logits.dtype)
