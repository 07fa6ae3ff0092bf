# rejected by: attention_is_right: the result of grouped_attention
# the mask goes by the places in the tensors, though the positions may come in any order
"""Rotary positions, and attention in which several query heads share one key and value head."""

import torch
from torch import Tensor
from torch.nn import functional


def rotate(x: Tensor, positions: Tensor, base: float = 10_000.0) -> Tensor:
    """(..., n, d) → (..., n, d): pair i of each vector turned by position · base^(−2i/d)."""
    wide = torch.promote_types(x.dtype, torch.float32)
    half = x.shape[-1] // 2
    frequencies = base ** (-torch.arange(half, device=x.device, dtype=wide) / half)
    angles = positions.to(wide)[:, None] * frequencies
    first, second = x.to(wide).chunk(2, -1)
    cos, sin = angles.cos(), angles.sin()
    return torch.cat([first * cos - second * sin, first * sin + second * cos], -1).to(x.dtype)


def grouped_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    query_positions: Tensor,
    key_positions: Tensor,
    base: float = 10_000.0,
) -> Tensor:
    """(batch, heads, n, d), (batch, groups, m, d), (batch, groups, m, e) → (batch, heads, n, e), causal."""
    shared = query.shape[1] // key.shape[1]
    query = rotate(query, query_positions, base)
    key = rotate(key, key_positions, base).repeat_interleave(shared, 1)
    value = value.repeat_interleave(shared, 1)
    n, m = len(query_positions), len(key_positions)
    mask = torch.ones(n, m, dtype=torch.bool, device=query.device).tril(m - n)
    return functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
