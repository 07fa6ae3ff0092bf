# rejected by: masked_places_do_not_matter: What stands at a masked place must not even take part in the maximum
# the largest logit is sought among the masked ones too: a masked 1e6 drowns the row; 'anything at a masked place'
# (logits [1, 2, 1e6], last one masked)
"""A softmax over the unmasked elements that never gives NaN."""

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    wide = torch.promote_types(logits.dtype, torch.float32)
    filled = torch.where(mask, logits.to(wide), float("-inf"))
    top = logits.to(wide).amax(-1, keepdim=True).nan_to_num(0, 0, 0)
    weights = (filled - top).exp()
    total = weights.sum(-1, keepdim=True)
    return (weights / torch.where(total == 0, 1, total)).to(logits.dtype)
