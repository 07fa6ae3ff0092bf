# earns: solved
# einsum and logsumexp instead of softmax, positions compared instead of tril
"""Scaled dot-product attention, with a mask and causal."""

import math

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    wide = torch.float64 if query.dtype == torch.float64 else torch.float32
    q, k, v = query.to(wide), key.to(wide), value.to(wide)
    scores = torch.einsum("...nd,...md->...nm", q * q.shape[-1] ** -0.5, k)
    if mask is not None:
        scores = torch.where(mask, scores, -torch.inf)
    scores = scores - scores.detach().amax(-1, keepdim=True)
    weights = torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))
    return torch.einsum("...nm,...me->...ne", weights, v).to(query.dtype)


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    n, m = query.shape[-2], key.shape[-2]
    places = torch.arange(m, device=query.device)
    return attention(query, key, value, places[None, :] <= places[m - n :, None])
