# rejected by: balance_is_right: the result of balance_loss is
# 'E · Σₑ fₑ · pₑ' over all experts: bincount without minlength is too short when the last experts were not chosen
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    best, chosen = logits.topk(k, -1)
    weights = best.softmax(-1)
    result = None
    for number, expert in enumerate(experts):
        tokens, slots = (chosen == number).nonzero(as_tuple=True)
        if len(tokens) == 0:
            continue
        part = weights[tokens, slots, None] * expert(x[tokens])
        if result is None:
            result = part.new_zeros(len(x), part.shape[1])
        result = result.index_add(0, tokens, part)
    return result


def balance_loss(logits: Tensor, k: int) -> Tensor:
    count = logits.shape[1]
    chosen = logits.topk(k, -1).indices.flatten()
    share = torch.bincount(chosen) / len(chosen)
    p = logits.softmax(-1).mean(0)[: len(share)]
    return len(share) * (share * p).sum()
