# earns: solved
# sorted with the masked at the end, and put back where they came from
import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32))
    mask = torch.broadcast_to(mask, logits.shape)
    wide = torch.where(mask, wide, torch.full_like(wide, -torch.inf))
    ranked, order = wide.sort(dim=-1, descending=True)
    there = torch.isfinite(ranked)
    ranked = torch.where(there, ranked, torch.zeros_like(ranked))
    weights = torch.where(there, (ranked - ranked[..., :1]).exp(), torch.zeros_like(ranked))
    total = weights.sum(dim=-1, keepdim=True)
    shares = weights / torch.maximum(total, torch.ones_like(total))
    return torch.empty_like(shares).scatter_(-1, order, shares).to(logits.dtype)
