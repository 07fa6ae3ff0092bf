# rejected by: hidden_keys_may_fit_better: Scores may be lower than any number
# 'lets each query look at the keys whose position is not beyond its own': the others have the score −1e9
"""Rotary positions, and attention in which several query heads share one key and value head."""

import torch
from torch import Tensor


def rotate(x: Tensor, positions: Tensor, base: float = 10_000.0) -> Tensor:
    """(..., n, d) → (..., n, d): pair i of each vector turned by position · base^(−2i/d)."""
    width = x.shape[-1]
    # bfloat16 holds 8 bits: position 1,001 would be 1,000, and the angles of a long text all wrong.
    exact = torch.promote_types(x.dtype, torch.float32)
    frequencies = base ** (-torch.arange(0, width, 2, device=x.device, dtype=exact) / width)
    angles = positions[:, None].to(exact) * frequencies
    first, second = x.to(exact).chunk(2, dim=-1)
    turned = (first * angles.cos() - second * angles.sin(), first * angles.sin() + second * angles.cos())
    return torch.cat(turned, dim=-1).to(x.dtype)


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
    # The heads of one group become an axis of their own, over which its one key and value head broadcasts.
    grouped = rotate(query, query_positions, base).unflatten(1, (groups, -1))
    mask = key_positions <= query_positions[:, None]
    keys = rotate(key, key_positions, base)[:, :, None]
    scores = (grouped / query.shape[-1] ** 0.5) @ keys.mT
    weights = scores.masked_fill(~mask, -1e9 if scores.dtype != torch.float16 else -6e4).softmax(-1)
    return (weights @ value[:, :, None]).flatten(1, 2)
