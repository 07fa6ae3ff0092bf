"""Masks for attention, and attention with them."""

import torch
from torch import Tensor
from torch.nn import functional


def causal(n: int, m: int, device: torch.device) -> Tensor:
    """(n, m): the last n of m positions, none of which sees the future."""
    # TODO: right for n = m
    return torch.ones(n, m, dtype=torch.bool, device=device).tril()


def window(n: int, width: int, device: torch.device) -> Tensor:
    """(n, n): itself and the width − 1 before it."""
    # TODO
    raise NotImplementedError("window")


def documents(ids: Tensor) -> Tensor:
    """(…, n) → (…, n, n): causal, within the same text."""
    # TODO
    raise NotImplementedError("documents")


def prefix(lengths: Tensor, n: int) -> Tensor:
    """(batch,) → (batch, n, n): everyone sees the first lengths[b] tokens; the rest is causal."""
    # TODO
    raise NotImplementedError("prefix")


def attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    """Attention of (batch, heads, n, d) with a mask (batch, n, m)."""
    # TODO: which axis is missing in the mask? What does a row without a single key give?
    return functional.scaled_dot_product_attention(query, key, value)
