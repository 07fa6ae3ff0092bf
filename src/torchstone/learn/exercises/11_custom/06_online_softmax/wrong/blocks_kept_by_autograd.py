# rejected by: no_big_matrix_lives: block by block
"""Attention in blocks of keys, with an online softmax: memory grows with n + m instead of n · m."""

import torch
from torch import Tensor


def attention(q: Tensor, k: Tensor, v: Tensor, block: int = 64) -> Tensor:
    """(heads, n, d), (heads, m, d), (heads, m, e) → (heads, n, e)."""
    largest = q.new_full((*q.shape[:-1], 1), -torch.inf)
    total = torch.zeros_like(largest)
    output = q.new_zeros(*q.shape[:-1], v.shape[-1])
    for keys, values in zip(k.split(block, 1), v.split(block, 1), strict=True):
        scores = q @ keys.mT * q.shape[-1] ** -0.5
        larger = torch.maximum(largest, scores.amax(-1, keepdim=True).detach())
        shrink, weights = (largest - larger).exp(), (scores - larger).exp()
        total = total * shrink + weights.sum(-1, keepdim=True)
        output = output * shrink + weights @ values
        largest = larger
    return output / total
