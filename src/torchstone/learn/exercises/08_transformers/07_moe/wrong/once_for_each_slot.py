# rejected by: experts_see_their_own_tokens: Collect all tokens of an expert and call it once
# 'Each is called once at most': an expert is called for the first choices, then again for the second ones
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    best, chosen = logits.topk(k, -1)
    weights = best.softmax(-1)
    out = 0
    for slot in range(k):
        parts, rows = [], []
        for number, expert in enumerate(experts):
            mine = torch.where(chosen[:, slot] == number)[0]
            if len(mine):
                rows.append(mine)
                parts.append(expert(x[mine]) * weights[mine, slot, None])
        joined = torch.cat(parts)
        out = out + joined.new_zeros(joined.shape).index_add(0, torch.cat(rows), joined)
    return out


def balance_loss(logits: Tensor, k: int) -> Tensor:
    count = logits.shape[1]
    chosen = logits.topk(k, -1).indices.flatten()
    share = torch.bincount(chosen, minlength=count).to(logits.dtype) / len(chosen)
    return count * (share * logits.softmax(-1).mean(0)).sum()
