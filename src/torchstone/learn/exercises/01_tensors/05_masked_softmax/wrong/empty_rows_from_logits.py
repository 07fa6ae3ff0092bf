# rejected by: masked_places_are_exactly_zero: A masked place is 0, not nearly: in rows without a true
# an empty row is 0 times its logits, NaN where they are; 'gives zeros and not NaN'
"""A softmax over the unmasked elements that never gives NaN."""

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    # Half precision ends at 65,504: the sum of a long row does not fit. Wider dtypes stay as they are.
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32))
    # Filled before anything is computed, so that what stands at a masked place never takes part.
    wide = wide.masked_fill(~mask, -torch.inf)
    # The largest logit becomes exp(0) = 1. In a row without one, −inf − −inf would be NaN: take 0 away instead.
    largest = wide.amax(-1, keepdim=True)
    weights = (wide - largest.masked_fill(largest == -torch.inf, 0)).exp()
    total = weights.sum(-1, keepdim=True)
    result = (weights / total.masked_fill(total == 0, 1)).to(logits.dtype)
    return torch.where(mask.any(-1, keepdim=True), result, logits * 0)
