# earns: solved
# complex numbers for the turn, einsum over groups without repeating keys
"""Rotary positions, and attention in which several query heads share one key and value head."""

import torch
from torch import Tensor


def rotate(x: Tensor, positions: Tensor, base: float = 10_000.0) -> Tensor:
    """(..., n, d) → (..., n, d): pair i of each vector turned by position · base^(−2i/d)."""
    kind = torch.float64 if x.dtype == torch.float64 else torch.float32
    d = x.shape[-1]
    even = torch.arange(0, d, 2, device=x.device).to(torch.float64)
    angles = torch.outer(positions.to(torch.float64), torch.pow(base, -even / d)).to(kind)
    turn = torch.polar(torch.ones_like(angles), angles)
    plane = torch.complex(x[..., : d // 2].to(kind), x[..., d // 2 :].to(kind)) * turn
    return torch.cat((plane.real, plane.imag), dim=-1).to(x.dtype)


def grouped_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    query_positions: Tensor,
    key_positions: Tensor,
    base: float = 10_000.0,
) -> Tensor:
    """(batch, heads, n, d), (batch, groups, m, d), (batch, groups, m, e) → (batch, heads, n, e), causal."""
    groups, d = key.shape[1], query.shape[-1]
    kind = torch.promote_types(query.dtype, torch.float32)
    grouped = rotate(query, query_positions, base).unflatten(1, (groups, -1)).to(kind)
    turned = rotate(key, key_positions, base).to(kind)
    scores = torch.einsum("bghnd,bgmd->bghnm", grouped, turned) / d**0.5
    later = key_positions.unsqueeze(0) > query_positions.unsqueeze(1)
    weights = scores.masked_fill(later, -torch.inf).softmax(-1)
    return torch.einsum("bghnm,bgme->bghne", weights, value.to(kind)).flatten(1, 2).to(query.dtype)
