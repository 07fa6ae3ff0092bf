# earns: solved
# masked keys and values are replaced by zeros for each query before anything is multiplied, so that not even a NaN of
# theirs gets through
"""Scaled dot-product attention, with a mask and causal."""

import math

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    dtype = query.dtype
    wide = torch.promote_types(dtype, torch.float32)
    query, key, value = query.to(wide), key.to(wide), value.to(wide)
    if mask is None:
        scores = torch.matmul(query, key.transpose(-2, -1)).div(math.sqrt(query.size(-1)))
        return torch.matmul(torch.softmax(scores, dim=-1), value).to(dtype)
    seen = mask.expand(*mask.shape[:-2], query.shape[-2], key.shape[-2]) if mask.dim() >= 2 else mask
    seen = seen.unsqueeze(-1)
    keys = torch.where(seen, key.unsqueeze(-3), torch.zeros((), dtype=wide, device=key.device))
    values = torch.where(seen, value.unsqueeze(-3), torch.zeros((), dtype=wide, device=value.device))
    scores = (query.unsqueeze(-2) * keys).sum(-1) / math.sqrt(query.size(-1))
    scores = scores.masked_fill(~mask, -math.inf)
    shifted = scores - scores.amax(-1, keepdim=True).detach()
    weights = shifted.exp()
    weights = weights / weights.sum(-1, keepdim=True)
    return (weights.unsqueeze(-1) * values).sum(-2).to(dtype)


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    n, m = query.size(-2), key.size(-2)
    hidden = torch.triu(torch.full((n, m), True, device=query.device), diagonal=m - n + 1)
    return attention(query, key, value, ~hidden)
