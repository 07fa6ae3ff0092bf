# earns: solved
# query heads are folded beside their group with unflatten; plain softmax; pairs by chunk and stack
"""Rotary positions, and attention in which several query heads share one key and value head."""

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention


def rotate(x: Tensor, positions: Tensor, base: float = 10_000.0) -> Tensor:
    count = x.shape[-1] // 2
    exact = torch.float64 if x.dtype == torch.float64 else torch.float32
    steps = torch.arange(0, 2 * count, 2, device=x.device).to(exact) / x.shape[-1]
    angles = torch.outer(
        positions.to(x.device, exact), torch.pow(torch.tensor(base, dtype=exact, device=x.device), -steps)
    )
    pairs = x.to(exact).unflatten(-1, (2, count))
    first, second = pairs.unbind(-2)
    turned = torch.stack(
        [first * angles.cos() - second * angles.sin(), first * angles.sin() + second * angles.cos()], -2
    )
    return turned.flatten(-2).to(x.dtype)


def grouped_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    query_positions: Tensor,
    key_positions: Tensor,
    base: float = 10_000.0,
) -> Tensor:
    groups = key.shape[1]
    dtype = query.dtype
    inner = torch.promote_types(dtype, torch.float32)
    q = rotate(query, query_positions, base).to(inner).unflatten(1, (groups, -1))
    k = rotate(key, key_positions, base).to(inner).unsqueeze(2)
    scores = q @ k.transpose(-1, -2) * query.shape[-1] ** -0.5
    later = key_positions.unsqueeze(0) > query_positions.unsqueeze(1)
    weights = scores.masked_fill(later, -torch.inf).softmax(-1)
    return (weights @ value.to(inner).unsqueeze(2)).flatten(1, 2).to(dtype)
