# rejected by: mask_hides_keys: Masked after the softmax
# 'takes a mean of the values': hidden weights are set to 0 after the softmax and the rest no longer adds up to 1
"""Scaled dot-product attention, with a mask and causal."""

import math

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights * mask
    return weights @ value


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    n, m = query.shape[-2], key.shape[-2]
    mask = torch.ones(n, m, dtype=torch.bool, device=query.device).tril(m - n)
    return attention(query, key, value, mask)
