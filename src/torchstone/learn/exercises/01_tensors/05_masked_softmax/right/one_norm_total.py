# earns: solved
# nan_to_num for the peak, masked_fill, a 1-norm as the total
"""A softmax over the unmasked elements that never gives NaN."""

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32))
    wide = torch.where(mask, wide, -torch.inf)
    peak = wide.max(dim=-1, keepdim=True).values.nan_to_num(neginf=0.0)
    weights = torch.exp(wide.sub(peak)).masked_fill(~mask, 0)
    total = torch.linalg.vector_norm(weights, ord=1, dim=-1, keepdim=True)
    return weights.div(total + (total == 0)).to(logits.dtype)
