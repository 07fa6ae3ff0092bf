# earns: solved lean
"""Masks for attention, and attention with them."""

import torch
from torch import Tensor
from torch.nn import functional


def places(n: int, device: torch.device) -> tuple[Tensor, Tensor]:
    line = torch.arange(n, device=device)
    return line.view(-1, 1), line.view(1, -1)


def causal(n: int, m: int, device: torch.device) -> Tensor:
    return torch.arange(m - n, m, device=device).unsqueeze(1) >= torch.arange(m, device=device)


def window(n: int, width: int, device: torch.device) -> Tensor:
    row, column = places(n, device)
    back = row - column
    return (back >= 0) & (back < width)


def documents(ids: Tensor) -> Tensor:
    row, column = places(ids.shape[-1], ids.device)
    return torch.eq(ids.unsqueeze(-1), ids.unsqueeze(-2)).logical_and(row >= column)


def prefix(lengths: Tensor, n: int) -> Tensor:
    row, column = places(n, lengths.device)
    last = torch.maximum(row, lengths.view(-1, 1, 1) - 1)
    return column <= last


def attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    blind = ~mask.any(dim=-1, keepdim=True)
    key = functional.pad(key, (0, 0, 0, 1))
    value = functional.pad(value, (0, 0, 0, 1))
    return functional.scaled_dot_product_attention(query, key, value, torch.cat([mask, blind], -1).unsqueeze(1))
