# rejected by: long_rows_in_half_precision: The sum of a long row passes 65,504, where float16 ends:
# half precision is summed in half precision and overflows in a very long row; 'half precision in rows of many
# thousand elements'
"""A softmax over the unmasked elements that never gives NaN."""

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    logits, mask = torch.broadcast_tensors(logits, mask)
    if logits.numel() == 0:
        return torch.zeros_like(logits)
    wide = logits.dtype
    scores = logits.to(wide).masked_fill(~mask, -torch.inf)
    top = scores.amax(-1, keepdim=True)
    top = top.masked_fill(top == -torch.inf, 0)
    weights = scores.sub(top).exp()
    total = weights.sum(-1, keepdim=True).clamp(min=1)
    return weights.div(total).to(logits.dtype)
