# earns: solved
# points as complex numbers, the groups left to enable_gqa
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
    points = torch.complex(*x.to(dtype).tensor_split(2, dim=-1))
    turned = points * torch.polar(torch.ones_like(angle), angle)
    return torch.cat([turned.real, turned.imag], dim=-1).to(x.dtype)


def grouped_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    query_positions: Tensor,
    key_positions: Tensor,
    base: float = 10_000.0,
) -> Tensor:
    """(batch, heads, n, d), (batch, groups, m, d), (batch, groups, m, e) → (batch, heads, n, e), causal."""
    query = rotate(query, query_positions, base)
    key = rotate(key, key_positions, base)
    seen = key_positions[None, :] <= query_positions[:, None]
    return scaled_dot_product_attention(query, key, value, attn_mask=seen, enable_gqa=True)
