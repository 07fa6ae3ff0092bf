# rejected by: mixture_is_right: A token's result is the sum over its k experts
# 'A token goes to its k best experts': a capacity of tokens · k / E drops what comes late to a crowded expert
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    best, chosen = logits.topk(k, -1)
    weights = best.softmax(-1)
    capacity = -(-len(x) * k // len(experts))
    result = None
    for number, expert in enumerate(experts):
        tokens, slots = torch.where(chosen == number)
        tokens, slots = tokens[:capacity], slots[:capacity]
        if len(tokens):
            part = weights[tokens, slots, None] * expert(x[tokens])
            result = part.new_zeros(len(x), part.shape[1]) if result is None else result
            result = result.index_add(0, tokens, part)
    return result


def balance_loss(logits: Tensor, k: int) -> Tensor:
    count = logits.shape[1]
    chosen = logits.topk(k, -1).indices.flatten()
    share = torch.bincount(chosen, minlength=count).to(logits.dtype) / len(chosen)
    return count * (share * logits.softmax(-1).mean(0)).sum()
