# rejected by: window_is_right: That is one key too many: itself counts
# a query sees the `width` keys before it besides itself, one too many
"""Masks for attention, and attention with them."""

import torch
from torch import Tensor
from torch.nn import functional


def causal(n: int, m: int, device: torch.device) -> Tensor:
    """(n, m): the last n of m positions, none of which sees the future."""
    return torch.ones(n, m, dtype=torch.bool, device=device).tril(m - n)


def window(n: int, width: int, device: torch.device) -> Tensor:
    """(n, n): itself and the width − 1 before it."""
    return causal(n, n, device).triu(-width)


def documents(ids: Tensor) -> Tensor:
    """(…, n) → (…, n, n): causal, within the same text."""
    n = ids.shape[-1]
    return (ids[..., :, None] == ids[..., None, :]) & causal(n, n, ids.device)


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
