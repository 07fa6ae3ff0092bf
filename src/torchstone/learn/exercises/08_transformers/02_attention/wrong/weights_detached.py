# rejected by: unmasked_is_right: softmax over the keys of query · keyᵀ / √d
# 'with gradients in all three': the weights are computed without a graph, only the values get a gradient
"""Scaled dot-product attention, with a mask and causal."""

import math

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    with torch.no_grad():
        scores = query.float() @ key.float().mT / math.sqrt(query.shape[-1])
        if mask is not None:
            scores.masked_fill_(~mask, float("-inf"))
        weights = scores.softmax(-1).to(value.dtype)
    return weights @ value


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    n, m = query.shape[-2], key.shape[-2]
    mask = torch.ones(n, m, dtype=torch.bool, device=query.device).tril(m - n)
    return attention(query, key, value, mask)
