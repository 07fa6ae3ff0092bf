# rejected by: attention_is_right: That is the answer to the call before: new numbers of the same shape are a new
# queries and keys are rotated with the default base, whatever was asked for; 'It rotates queries and keys', 'turned
# by the angle position · base^(−2i/d)'
"""Rotary positions, and attention in which several query heads share one key and value head."""

import torch
from torch import Tensor


def rotate(x: Tensor, positions: Tensor, base: float = 10_000.0) -> Tensor:
    """(..., n, d) → (..., n, d): pair i of each vector turned by position · base^(−2i/d)."""
    d = x.shape[-1]
    dtype = torch.promote_types(x.dtype, torch.float32)
    places = torch.arange(d // 2, device=x.device, dtype=dtype)
    angles = positions.to(x.device, dtype)[:, None] * base ** (places * (-2 / d))
    cos, sin = angles.cos(), angles.sin()
    turn = torch.stack([torch.stack([cos, -sin]), torch.stack([sin, cos])])
    pairs = x.to(dtype).unflatten(-1, (2, d // 2))
    return torch.einsum("pqni,...nqi->...npi", turn, pairs).flatten(-2).to(x.dtype)


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
    query = rotate(query, query_positions).unflatten(1, (groups, -1))
    key = rotate(key, key_positions)
    scores = torch.einsum("bghnd,bgmd->bghnm", query, key) * query.shape[-1] ** -0.5
    later = key_positions[None, :] > query_positions[:, None]
    weights = scores.masked_fill(later, float("-inf")).softmax(-1)
    return torch.einsum("bghnm,bgme->bghne", weights, value).flatten(1, 2)
