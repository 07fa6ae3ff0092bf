# earns: solved
# an axis for the groups, einsum and softmax by hand
"""Rotary positions, and attention in which several query heads share one key and value head."""

import torch
from torch import Tensor


def rotate(x: Tensor, positions: Tensor, base: float = 10_000.0) -> Tensor:
    """(..., n, d) → (..., n, d): pair i of each vector turned by position · base^(−2i/d)."""
    dtype = torch.promote_types(x.dtype, torch.float32)
    d = x.shape[-1]
    speed = base ** (-torch.arange(0, d, 2, device=x.device, dtype=dtype) / d)
    angle = positions.to(dtype)[:, None] * speed
    cos, sin = angle.cos(), angle.sin()
    first, second = x.to(dtype).chunk(2, -1)
    halves = torch.stack([first, second], -2)
    crossed = torch.stack([-second, first], -2)
    return (halves * cos[:, None] + crossed * sin[:, None]).flatten(-2).to(x.dtype)


def grouped_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    query_positions: Tensor,
    key_positions: Tensor,
    base: float = 10_000.0,
) -> Tensor:
    """(batch, heads, n, d), (batch, groups, m, d), (batch, groups, m, e) → (batch, heads, n, e), causal."""
    query = rotate(query, query_positions, base).unflatten(1, (key.shape[1], -1))
    key = rotate(key, key_positions, base)
    scores = torch.einsum("bgsnd,bgmd->bgsnm", query, key) * query.shape[-1] ** -0.5
    later = key_positions.unsqueeze(0) > query_positions.unsqueeze(1)
    weights = scores.masked_fill(later, float("-inf")).softmax(-1)
    return torch.einsum("bgsnm,bgme->bgsne", weights, value).flatten(1, 2)
