# rejected by: experts_see_their_own_tokens: A token goes to all of its k experts
# 'also where a weight rounds to 0': an expert is asked only about tokens for which its weight is above 0
from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    best = logits.topk(k, dim=-1)
    gates = torch.zeros_like(logits).scatter(-1, best.indices, best.values.softmax(-1))
    out = None
    for column, expert in zip(gates.unbind(-1), experts):
        rows = column.nonzero().flatten()
        if not len(rows):
            continue
        y = column[rows].unsqueeze(-1) * expert(x[rows])
        base = y.new_zeros((len(x), y.shape[-1])) if out is None else out
        out = base.index_add(0, rows, y)
    return out


def balance_loss(logits: Tensor, k: int) -> Tensor:
    width = logits.shape[-1]
    counts = logits.topk(k, dim=-1).indices.flatten().bincount(minlength=width)
    share = counts.to(logits.dtype) / counts.sum()
    return (share @ logits.softmax(-1).mean(0)) * width
