# earns: solved
# rotation as multiplication of complex numbers, torch's own grouped attention (enable_gqa)
"""Rotary positions, and attention in which several query heads share one key and value head."""

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention


def rotate(x: Tensor, positions: Tensor, base: float = 10_000.0) -> Tensor:
    half = x.shape[-1] // 2
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    exponents = torch.arange(half, device=x.device, dtype=wide.dtype).mul(-2.0 / x.shape[-1])
    angles = positions.to(wide.dtype).to(x.device)[:, None] * torch.full_like(exponents, base).pow(exponents)
    turn = torch.polar(torch.ones_like(angles), angles)
    points = torch.complex(wide[..., :half].contiguous(), wide[..., half:].contiguous()) * turn
    return torch.cat((points.real, points.imag), dim=-1).to(x.dtype)


def grouped_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    query_positions: Tensor,
    key_positions: Tensor,
    base: float = 10_000.0,
) -> Tensor:
    mask = query_positions.reshape(-1, 1).ge(key_positions.reshape(1, -1))
    return scaled_dot_product_attention(
        rotate(query, query_positions, base), rotate(key, key_positions, base), value, attn_mask=mask, enable_gqa=True
    )
