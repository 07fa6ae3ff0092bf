# rejected by: attention_is_right: compare positions, not places
# sees keys by their place in the list where queries and keys are equally many; 'The positions are `(n,)` and `(m,)`,
# in any order'
"""Rotary positions, and attention in which several query heads share one key and value head."""

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention


def rotate(x: Tensor, positions: Tensor, base: float = 10_000.0) -> Tensor:
    """(..., n, d) → (..., n, d): pair i of each vector turned by position · base^(−2i/d)."""
    d = x.shape[-1]
    wide = torch.promote_types(x.dtype, torch.float32)
    speeds = base ** (-torch.arange(0, d, 2, device=x.device, dtype=wide) / d)
    angles = positions.to(wide)[:, None] * speeds
    cos, sin = angles.cos(), angles.sin()
    first, second = x.to(wide).chunk(2, -1)
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
    mask = key_positions[None, :] <= query_positions[:, None]
    if query.shape[2] == key.shape[2]:
        return scaled_dot_product_attention(query, key, value, is_causal=True)
    return scaled_dot_product_attention(query, key, value, attn_mask=mask)
