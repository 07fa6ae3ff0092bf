# rejected by: ops_do_not_grow: A Python loop pays for each element
# a loop over the window's width; 'as many ops for long texts as for short ones'
"""Masks for attention, and attention with them."""

import torch
from torch import Tensor
from torch.nn import functional


def causal(n: int, m: int, device: torch.device) -> Tensor:
    """(n, m): the last n of m positions, none of which sees the future."""
    # Query 0 stands at position m − n, so the diagonal moves to the right.
    return torch.ones(n, m, dtype=torch.bool, device=device).tril(m - n)


def window(n: int, width: int, device: torch.device) -> Tensor:
    """(n, n): itself and the width − 1 before it."""
    rows = torch.eye(n, dtype=torch.bool, device=device)
    for back in range(1, min(width, n)):
        rows = rows | torch.ones(n, n, dtype=torch.bool, device=device).tril(-back).triu(-back)
    return rows


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
    empty = ~mask.any(dim=-1, keepdim=True)
    # An empty row looks at everything, so that its softmax is one, and its result is thrown away: no NaN on the way.
    result = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask | empty)
    return result.masked_fill(empty, 0)
