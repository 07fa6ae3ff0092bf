# earns: solved
# powers of two in a wide dtype, two wheres, clamp of the total
import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """exp(x) is 2 to the power of x · log2(e); the largest element has weight 1, so a total is 0 or at least 1."""
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32))
    logits_b, mask_b = torch.broadcast_tensors(wide, mask)
    if logits_b.numel() == 0:
        return logits_b.to(logits.dtype).clone()
    safe = torch.where(mask_b, logits_b, torch.finfo(wide.dtype).min)
    shifted = torch.where(mask_b, logits_b - safe.max(dim=-1, keepdim=True).values, 0.0)
    weights = torch.where(mask_b, torch.exp2(shifted * 1.4426950408889634), 0.0)
    return weights.div(weights.sum(dim=-1, keepdim=True).clamp(min=1.0)).to(logits.dtype)
