# rejected by: rotation_is_right: Pair i is (x[i]
# the angles are float32 for every dtype; breaks 'float64 in float64 throughout': at position 5,000 the result is
# off by about 1e-4
"""Rotary positions, and attention in which several query heads share one key and value head."""

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention


def rotate(x: Tensor, positions: Tensor, base: float = 10_000.0) -> Tensor:
    """(..., n, d) → (..., n, d): pair i of each vector turned by position · base^(−2i/d)."""
    kind = torch.float32
    half = x.shape[-1] // 2
    speed = torch.pow(
        torch.tensor(base, dtype=kind, device=x.device), -torch.arange(half, dtype=kind, device=x.device) / half
    )
    angle = torch.outer(positions.to(kind), speed).repeat(1, 2)
    y = x.to(torch.promote_types(x.dtype, kind))
    swapped = torch.cat((-y[..., half:], y[..., :half]), dim=-1)
    return (y * angle.cos() + swapped * angle.sin()).to(x.dtype)


def grouped_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    query_positions: Tensor,
    key_positions: Tensor,
    base: float = 10_000.0,
) -> Tensor:
    """(batch, heads, n, d), (batch, groups, m, d), (batch, groups, m, e) → (batch, heads, n, e), causal."""
    heads = query.shape[1]
    owner = torch.arange(heads, device=query.device) // (heads // key.shape[1])
    turned = rotate(key, key_positions, base)
    mask = torch.ge(query_positions.unsqueeze(1), key_positions.unsqueeze(0))
    return scaled_dot_product_attention(
        rotate(query, query_positions, base), turned[:, owner], value[:, owner], attn_mask=mask
    )
