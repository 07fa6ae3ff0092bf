# rejected by: documents_are_apart: IndexError
# expects ids of exactly two axes; breaks '(…, n) → (…, n, n)' for one row (n,) and for three axes
"""Masks for attention, and attention with them."""

import torch
from torch import Tensor
from torch.nn import functional


def _behind(n: int, m: int, device: torch.device) -> Tensor:
    """(n, m): how far each key is behind each query."""
    return torch.arange(m - n, m, device=device)[:, None] - torch.arange(m, device=device)


def causal(n: int, m: int, device: torch.device) -> Tensor:
    """(n, m): the last n of m positions, none of which sees the future."""
    return _behind(n, m, device) >= 0


def window(n: int, width: int, device: torch.device) -> Tensor:
    """(n, n): itself and the width − 1 before it."""
    behind = _behind(n, n, device)
    return (behind >= 0) & (behind < width)


def documents(ids: Tensor) -> Tensor:
    """(…, n) → (…, n, n): causal, within the same text."""
    n = ids.shape[-1]
    return (ids[:, :, None] == ids[:, None, :]) & causal(n, n, ids.device)


def prefix(lengths: Tensor, n: int) -> Tensor:
    """(batch,) → (batch, n, n): everyone sees the first lengths[b] tokens; the rest is causal."""
    question = torch.arange(n, device=lengths.device) < lengths[:, None]
    return question[:, None, :] | causal(n, n, lengths.device)


def attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    """Attention of (batch, heads, n, d) with a mask (batch, n, m)."""
    mask = mask[:, None]
    blind = ~mask.any(-1, keepdim=True)
    result = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask | blind)
    return result.masked_fill(blind, 0)
