# rejected by: empty_rows_are_zero: A row is empty where no key at all is true.
# a row with 256 keys counts as one without; 'A query that may look at *no* key gets zeros'
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
    return causal(n, n, device).triu(1 - width)


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
    empty = mask.sum(dim=-1, keepdim=True, dtype=torch.uint8) == 0
    # An empty row looks at everything, so that its softmax is one, and its result is thrown away: no NaN on the way.
    result = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask | empty)
    return result.masked_fill(empty, 0)
