# rejected by: rotation_is_right: Pair i is (x[i], x[i + d/2]), turned by
# "(float64 in float64 throughout)": the angles of float64 vectors are computed in float32
"""Rotary positions, and attention in which several query heads share one key and value head."""

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention


def rotate(x: Tensor, positions: Tensor, base: float = 10_000.0) -> Tensor:
    """(..., n, d) → (..., n, d): pair i of each vector turned by position · base^(−2i/d)."""
    dtype = torch.promote_types(x.dtype, torch.float32)
    d = x.shape[-1]
    speed = base ** (-torch.arange(0, d, 2, device=x.device, dtype=torch.float32) / d)
    angle = positions.float()[:, None] * speed
    cos, sin = angle.cos().to(dtype), angle.sin().to(dtype)
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
    seen = key_positions[None, :] <= query_positions[:, None]
    return scaled_dot_product_attention(query, key, value, attn_mask=seen)
