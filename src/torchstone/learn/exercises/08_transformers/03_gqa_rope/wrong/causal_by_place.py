# rejected by: attention_is_right: the result of grouped_attention is
# "look at the keys whose position is not beyond its own', 'in any order": the mask goes by the place in the tensor
"""Rotary positions, and attention in which several query heads share one key and value head."""

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention


def rotate(x: Tensor, positions: Tensor, base: float = 10_000.0) -> Tensor:
    """(..., n, d) → (..., n, d): pair i of each vector turned by position · base^(−2i/d)."""
    dtype = torch.promote_types(x.dtype, torch.float32)
    d = x.shape[-1]
    speed = base ** (-torch.arange(0, d, 2, device=x.device, dtype=dtype) / d)
    angle = positions.to(dtype)[:, None] * speed
    cos, sin = angle.cos(), angle.sin()
    first, second = x.to(dtype).chunk(2, -1)
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
    share = query.shape[1] // key.shape[1]
    query = rotate(query, query_positions, base)
    key = rotate(key, key_positions, base).repeat_interleave(share, 1)
    value = value.repeat_interleave(share, 1)
    return scaled_dot_product_attention(query, key, value, is_causal=True)
