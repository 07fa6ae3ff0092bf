# earns: solved lean
# tril and triu, a float mask with −inf in attend and where
"""Masks for attention, and attention with them."""

import torch
from torch import Tensor
from torch.nn import functional


def causal(n: int, m: int, device: torch.device) -> Tensor:
    """(n, m): the last n of m positions, none of which sees the future."""
    return torch.full((n, m), True, device=device).tril(m - n)


def window(n: int, width: int, device: torch.device) -> Tensor:
    """(n, n): itself and the width − 1 before it."""
    triangle = causal(n, n, device)
    return triangle ^ triangle.tril(-width)


def documents(ids: Tensor) -> Tensor:
    """(…, n) → (…, n, n): causal, within the same text."""
    return torch.eq(ids.unsqueeze(-1), ids.unsqueeze(-2)).tril()


def prefix(lengths: Tensor, n: int) -> Tensor:
    """(batch,) → (batch, n, n): everyone sees the first lengths[b] tokens; the rest is causal."""
    keys = torch.arange(n, device=lengths.device)
    last = torch.maximum(keys[None, :], lengths[:, None] - 1)  # the last key that each query sees
    return keys[None, None, :] <= last[:, :, None]


def attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    """Attention of (batch, heads, n, d) with a mask (batch, n, m)."""
    mask = mask.unsqueeze(1)
    sees = mask.any(dim=-1, keepdim=True)
    hide = torch.zeros(mask.shape, dtype=query.dtype, device=query.device)
    hide = hide.masked_fill(~mask & sees, float("-inf"))
    result = functional.scaled_dot_product_attention(query, key, value, hide)
    return torch.where(sees, result, torch.zeros_like(result))
