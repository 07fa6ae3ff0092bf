# rejected by: attention_is_right: the result of grouped_attention
# 'lets each query look at the keys whose position is not beyond its own ... in any order': the mask is made from
# places in the tensor
"""Rotary positions, and attention in which several query heads share one key and value head."""

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention


def rotate(x: Tensor, positions: Tensor, base: float = 10_000.0) -> Tensor:
    half = x.shape[-1] // 2
    inner = torch.promote_types(x.dtype, torch.float32)
    frequencies = base ** (-torch.arange(half, device=x.device, dtype=inner) / half)
    angles = positions[:, None].to(device=x.device, dtype=inner) * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = x[..., :half].to(inner), x[..., half:].to(inner)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], -1).to(x.dtype)


def grouped_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    query_positions: Tensor,
    key_positions: Tensor,
    base: float = 10_000.0,
) -> Tensor:
    query, key = rotate(query, query_positions, base), rotate(key, key_positions, base)
    share = query.shape[1] // key.shape[1]
    key, value = key.repeat_interleave(share, 1), value.repeat_interleave(share, 1)
    n, m = query.shape[2], key.shape[2]
    mask = torch.ones(n, m, dtype=torch.bool, device=query.device).tril(m - n)
    return scaled_dot_product_attention(query, key, value, attn_mask=mask)
