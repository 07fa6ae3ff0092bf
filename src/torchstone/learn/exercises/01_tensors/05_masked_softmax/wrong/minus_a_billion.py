# rejected by: far_logits_are_right: Every finite logit is a logit
# masked places get −1e9, which is larger than finite logits can be: a row whose true logits are −2e9 becomes zeros
# (float32); 'logits at true places are finite', no more
"""A softmax over the unmasked elements that never gives NaN."""

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    wide = torch.promote_types(logits.dtype, torch.float32)
    filled = torch.where(mask, logits.to(wide), -1e9)
    top = filled.amax(-1, keepdim=True)
    weights = (filled - top).exp()
    weights = torch.where(mask, weights, 0)
    total = weights.sum(-1, keepdim=True)
    return (weights / torch.where(total == 0, 1, total)).to(logits.dtype)
