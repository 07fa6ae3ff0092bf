# rejected by: attention_is_right: compare positions, not places
# hides keys by their place in the tensor, not by their position; breaks 'The positions are (n,) and (m,), in any
# order' with positions (2, 0, 1)
"""Rotary positions, and attention in which several query heads share one key and value head."""

import torch
from torch import Tensor


def rotate(x: Tensor, positions: Tensor, base: float = 10_000.0) -> Tensor:
    """(..., n, d) → (..., n, d): pair i of each vector turned by position · base^(−2i/d)."""
    wide = torch.promote_types(x.dtype, torch.float32)
    d = x.shape[-1]
    powers = torch.arange(0, d, 2, device=x.device, dtype=torch.float64) / -d
    angles = (positions.to(torch.float64)[:, None] * base**powers).to(wide)
    first, second = x.to(wide).chunk(2, -1)
    points = torch.complex(first, second) * torch.polar(torch.ones_like(angles), angles)
    return torch.cat([points.real, points.imag], -1).to(x.dtype)


def grouped_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    query_positions: Tensor,
    key_positions: Tensor,
    base: float = 10_000.0,
) -> Tensor:
    """(batch, heads, n, d), (batch, groups, m, d), (batch, groups, m, e) → (batch, heads, n, e), causal."""
    groups = key.shape[1]
    query = rotate(query, query_positions, base).unflatten(1, (groups, -1))  # (batch, groups, share, n, d)
    key = rotate(key, key_positions, base)
    scores = torch.einsum("bgsnd,bgmd->bgsnm", query, key) / query.shape[-1] ** 0.5
    later = torch.ones_like(scores[0, 0, 0], dtype=torch.bool).triu(scores.shape[-1] - scores.shape[-2] + 1)
    weights = scores.masked_fill(later, -torch.inf).softmax(-1)
    return torch.einsum("bgsnm,bgme->bgsne", weights, value).flatten(1, 2)
