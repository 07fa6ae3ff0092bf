# earns: solved lean
# comparisons of positions; blind queries look at an extra key whose value is zero
"""Masks for attention, and attention with them."""

import torch
from torch import Tensor
from torch.nn import functional


def causal(n: int, m: int, device: torch.device) -> Tensor:
    """(n, m): the last n of m positions, none of which sees the future."""
    places = torch.arange(m, device=device)
    return places[m - n :].unsqueeze(1).ge(places)


def window(n: int, width: int, device: torch.device) -> Tensor:
    """(n, n): itself and the width − 1 before it."""
    places = torch.arange(n, device=device)
    back = places.unsqueeze(1) - places
    return (back >= 0).logical_and(back < width)


def documents(ids: Tensor) -> Tensor:
    """(…, n) → (…, n, n): causal, within the same text."""
    return torch.eq(ids.unsqueeze(-1), ids.unsqueeze(-2)).tril()


def prefix(lengths: Tensor, n: int) -> Tensor:
    """(batch,) → (batch, n, n): everyone sees the first lengths[b] tokens; the rest is causal."""
    places = torch.arange(n, device=lengths.device)
    reach = torch.maximum(places + 1, lengths.to(torch.int64).unsqueeze(1))
    return places < reach.unsqueeze(-1)


def attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    """Attention of (batch, heads, n, d) with a mask (batch, n, m)."""
    blind = mask.any(-1, keepdim=True).logical_not()
    wider = torch.cat([mask, blind], dim=-1).unsqueeze(1)
    keys, values = (functional.pad(one, (0, 0, 0, 1)) for one in (key, value))
    return functional.scaled_dot_product_attention(query, keys, values, attn_mask=wider)
