# rejected by: balance_is_right: The loss has no gradient
# 'The choice itself has no gradient': the share is made differentiable with a straight-through trick
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
    tokens, count = logits.shape
    soft = logits.softmax(-1)
    hard = torch.zeros_like(logits).scatter(1, logits.topk(k, -1).indices, 1.0)
    picked = hard + soft - soft.detach()
    return count * (picked.sum(0) / (tokens * k) * soft.mean(0)).sum()
