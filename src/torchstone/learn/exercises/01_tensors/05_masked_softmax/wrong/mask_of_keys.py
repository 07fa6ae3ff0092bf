# rejected by: every_shape_of_mask: The mask counts from the right
# a mask with fewer axes is lined up with the first axis, as attention does with (batch, keys); 'broadcasts against
# `logits`'
import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    if 1 < mask.dim() < logits.dim() and len(mask) == len(logits):
        while mask.dim() < logits.dim():
            mask = mask.unsqueeze(1)
    mask = mask.expand(logits.shape)
    wide = logits.double().masked_fill(~mask, -torch.inf)
    top = wide.amax(-1, keepdim=True)
    top = top.masked_fill(top == -torch.inf, 0)
    weights = (wide - top).exp()
    return (weights / weights.sum(-1, keepdim=True).clamp(min=1e-30)).to(logits.dtype)
