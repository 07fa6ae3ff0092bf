# rejected by: rotation_is_right: The caller still needs what it handed in
# 'rotate(x, ...)' returns a rotated tensor: it writes into the caller's x
"""Rotary positions, and attention in which several query heads share one key and value head."""

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention


def rotate(x: Tensor, positions: Tensor, base: float = 10_000.0) -> Tensor:
    half = x.shape[-1] // 2
    frequencies = base ** (-torch.arange(half, device=x.device, dtype=torch.float32) / half)
    angles = positions[:, None].float() * frequencies
    out = x.detach() if not x.requires_grad else x.clone()
    first, second = x[..., :half].float(), x[..., half:].float()
    left, right = first * angles.cos() - second * angles.sin(), first * angles.sin() + second * angles.cos()
    out[..., :half], out[..., half:] = left.to(x.dtype), right.to(x.dtype)
    return out


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
