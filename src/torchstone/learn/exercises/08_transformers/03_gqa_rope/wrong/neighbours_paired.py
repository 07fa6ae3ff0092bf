# rejected by: rotation_is_right: These pairs are neighbours
# 'number i of the first half and number i of the second are a point': even and odd neighbours are paired instead
"""Rotary positions, and attention in which several query heads share one key and value head."""

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention


def rotate(x: Tensor, positions: Tensor, base: float = 10_000.0) -> Tensor:
    inner = torch.promote_types(x.dtype, torch.float32)
    half = x.shape[-1] // 2
    frequencies = base ** (-torch.arange(half, device=x.device, dtype=inner) / half)
    angles = positions[:, None].to(inner) * frequencies
    first, second = x[..., ::2].to(inner), x[..., 1::2].to(inner)
    turned = torch.stack(
        [first * angles.cos() - second * angles.sin(), first * angles.sin() + second * angles.cos()], -1
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
    query, key = rotate(query, query_positions, base), rotate(key, key_positions, base)
    share = query.shape[1] // key.shape[1]
    key, value = key.repeat_interleave(share, 1), value.repeat_interleave(share, 1)
    mask = key_positions[None, :] <= query_positions[:, None]
    return scaled_dot_product_attention(query, key, value, attn_mask=mask)
