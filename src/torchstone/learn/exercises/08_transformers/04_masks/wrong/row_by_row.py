# rejected by: ops_do_not_grow: A Python loop pays for each element; one operation over the
# writes the window row by row; 'as many ops for long texts as for short ones'
"""Masks for attention, and attention with them."""

import torch
from torch import Tensor
from torch.nn import functional


def back(n: int, m: int, device: torch.device) -> Tensor:
    """How far each key lies behind each query."""
    return torch.arange(m - n, m, device=device)[:, None] - torch.arange(m, device=device)


def causal(n: int, m: int, device: torch.device) -> Tensor:
    """(n, m): the last n of m positions, none of which sees the future."""
    return back(n, m, device) >= 0


def window(n: int, width: int, device: torch.device) -> Tensor:
    """(n, n): itself and the width − 1 before it."""
    mask = torch.zeros(n, n, dtype=torch.bool, device=device)
    for i in range(n):
        mask[i, max(0, i - width + 1) : i + 1] = True
    return mask


def documents(ids: Tensor) -> Tensor:
    """(…, n) → (…, n, n): causal, within the same text."""
    n = ids.shape[-1]
    same = ids[..., :, None] == ids[..., None, :]
    return same & causal(n, n, ids.device)


def prefix(lengths: Tensor, n: int) -> Tensor:
    """(batch,) → (batch, n, n): everyone sees the first lengths[b] tokens; the rest is causal."""
    question = torch.arange(n, device=lengths.device) < lengths[:, None]
    return question[:, None, :] | causal(n, n, lengths.device)


def attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    """Attention of (batch, heads, n, d) with a mask (batch, n, m)."""
    blind = ~mask.any(-1, keepdim=True)
    result = functional.scaled_dot_product_attention(query, key, value, attn_mask=(mask | blind)[:, None])
    return result.masked_fill(blind[:, None], 0.0)
