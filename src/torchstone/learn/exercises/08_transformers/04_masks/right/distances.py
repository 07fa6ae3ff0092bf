# earns: solved lean
# comparisons of distances; an extra key of zeros for blind rows
"""Masks for attention, and attention with them."""

import torch
from torch import Tensor
from torch.nn import functional


def _behind(queries: Tensor, keys: Tensor) -> Tensor:
    """How far each key lies behind each query."""
    return queries.unsqueeze(-1) - keys.unsqueeze(-2)


def causal(n: int, m: int, device: torch.device) -> Tensor:
    """(n, m): the last n of m positions, none of which sees the future."""
    return _behind(torch.arange(m - n, m, device=device), torch.arange(m, device=device)).ge(0)


def window(n: int, width: int, device: torch.device) -> Tensor:
    """(n, n): itself and the width − 1 before it."""
    places = torch.arange(n, device=device)
    distance = _behind(places, places)
    return (distance >= 0).logical_and(distance < width)


def documents(ids: Tensor) -> Tensor:
    """(…, n) → (…, n, n): causal, within the same text."""
    places = torch.arange(ids.shape[-1], device=ids.device)
    return torch.where(_behind(places, places) < 0, False, _behind(ids, ids) == 0)


def prefix(lengths: Tensor, n: int) -> Tensor:
    """(batch,) → (batch, n, n): everyone sees the first lengths[b] tokens; the rest is causal."""
    places = torch.arange(n, device=lengths.device)
    reach = torch.maximum(places[None, :] + 1, lengths[:, None])  # each query sees the keys below this
    return places < reach[..., None]


def attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    """Attention of (batch, heads, n, d) with a mask (batch, n, m)."""
    # one more key, seen only by those that see nothing else; its value is zero
    key = functional.pad(key, (0, 0, 0, 1))
    value = functional.pad(value, (0, 0, 0, 1))
    alone = mask.logical_not().all(-1, keepdim=True)
    mask = torch.cat([mask, alone], -1).unsqueeze(1)
    return functional.scaled_dot_product_attention(query, key, value, mask)
