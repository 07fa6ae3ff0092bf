# rejected by: attention_is_right: the result of grouped_attention is
# keys are hidden by their place in the tensor, as if positions rose one by one; promised: "lets each query look at
# the keys whose position is not beyond its own ... The positions are `(n,)` and `(m,)`, in any order"
"""Rotary positions, and attention in which several query heads share one key and value head."""

import torch
from torch import Tensor
from torch.nn import functional


def rotate(x: Tensor, positions: Tensor, base: float = 10_000.0) -> Tensor:
    """(..., n, d) → (..., n, d): pair i of each vector turned by position · base^(−2i/d)."""
    d = x.shape[-1]
    dtype = torch.promote_types(x.dtype, torch.float32)
    speeds = torch.tensor([base ** (-2 * i / d) for i in range(d // 2)], dtype=dtype, device=x.device)
    angles = torch.outer(positions.to(x.device, dtype), speeds)
    cos, sin = angles.cos(), angles.sin()
    turns = torch.stack((torch.stack((cos, -sin)), torch.stack((sin, cos))))  # (2, 2, n, d / 2)
    halves = x.to(dtype).unflatten(-1, (2, d // 2))
    return torch.einsum("rcni,...nci->...nri", turns, halves).flatten(-2).to(x.dtype)


def grouped_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    query_positions: Tensor,
    key_positions: Tensor,
    base: float = 10_000.0,
) -> Tensor:
    """(batch, heads, n, d), (batch, groups, m, d), (batch, groups, m, e) → (batch, heads, n, e), causal."""
    (_, heads, n, d), groups = query.shape, key.shape[1]
    share = heads // groups
    m = key.shape[2]
    seen = torch.ones(n, m, dtype=torch.bool, device=key.device).tril(m - n)
    query = rotate(query, query_positions, base).unflatten(1, (groups, share)).flatten(2, 3)
    key = rotate(key, key_positions, base)
    result = functional.scaled_dot_product_attention(query, key, value, attn_mask=seen.repeat(share, 1), scale=d**-0.5)
    return result.unflatten(2, (share, n)).flatten(1, 2)
