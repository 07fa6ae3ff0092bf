# earns: solved lean
# vmap over rows of the batch, where at the end
"""Masks for attention, and attention with them."""

import torch
from torch import Tensor
from torch.nn import functional


def causal(n: int, m: int, device: torch.device) -> Tensor:
    """(n, m): the last n of m positions, none of which sees the future."""
    return torch.ones(n, m, dtype=torch.bool, device=device).tril(m - n)


def window(n: int, width: int, device: torch.device) -> Tensor:
    """(n, n): itself and the width − 1 before it."""
    place = torch.arange(n, device=device)
    first = place - width + 1
    return torch.logical_and(place <= place[:, None], place >= first[:, None])


def documents(ids: Tensor) -> Tensor:
    """(…, n) → (…, n, n): causal, within the same text."""
    return torch.eq(ids.unsqueeze(-1), ids.unsqueeze(-2)).tril()


def prefix(lengths: Tensor, n: int) -> Tensor:
    """(batch,) → (batch, n, n): everyone sees the first lengths[b] tokens; the rest is causal."""
    place = torch.arange(n, device=lengths.device)
    return torch.vmap(lambda length: place < torch.maximum(place[:, None] + 1, length))(lengths)


def attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    """Attention of (batch, heads, n, d) with a mask (batch, n, m)."""
    sees = mask.any(-1)[:, None, :, None]
    mask = torch.where(sees, mask.unsqueeze(1), True).expand(-1, query.shape[1], -1, -1)
    result = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    return torch.where(sees, result, 0.0)
