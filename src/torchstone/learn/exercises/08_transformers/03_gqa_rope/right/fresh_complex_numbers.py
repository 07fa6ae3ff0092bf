# earns: solved
# rotation as a product of complex numbers; heads as (group, share), attention by einsum
"""Rotary positions, and attention in which several query heads share one key and value head."""

import math

import torch
from torch import Tensor


def rotate(x: Tensor, positions: Tensor, base: float = 10_000.0) -> Tensor:
    """(..., n, d) → (..., n, d): pair i of each vector turned by position · base^(−2i/d)."""
    half = x.shape[-1] // 2
    wide = torch.float64 if x.dtype == torch.float64 else torch.float32
    speeds = torch.tensor([base ** (-i / half) for i in range(half)], dtype=wide, device=x.device)
    angles = torch.outer(positions.to(wide), speeds)
    turn = torch.polar(torch.ones_like(angles), angles)
    points = torch.complex(x[..., :half].to(wide), x[..., half:].to(wide)) * turn
    return torch.cat((points.real, points.imag), dim=-1).to(x.dtype)


def grouped_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    query_positions: Tensor,
    key_positions: Tensor,
    base: float = 10_000.0,
) -> Tensor:
    """(batch, heads, n, d), (batch, groups, m, d), (batch, groups, m, e) → (batch, heads, n, e), causal."""
    d, groups = query.shape[-1], key.shape[1]
    turned = rotate(query, query_positions, base).unflatten(1, (groups, -1))
    scores = torch.einsum("bgsnd,bgmd->bgsnm", turned, rotate(key, key_positions, base)) / math.sqrt(d)
    later = key_positions.unsqueeze(0) > query_positions.unsqueeze(1)
    weights = scores.masked_fill(later, -math.inf).softmax(dim=-1)
    return torch.einsum("bgsnm,bgme->bgsne", weights, value).flatten(1, 2)
