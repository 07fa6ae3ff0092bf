# rejected by: mixture_is_right: A token's result is the sum over its k experts
# 'The result is the weighted sum of what those experts return': plain assignment, later experts overwrite earlier
# ones
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    best, chosen = logits.topk(k, -1)
    weights = best.softmax(-1)
    result = None
    for number, expert in enumerate(experts):
        hit = chosen == number
        tokens = hit.any(-1)
        if not tokens.any():
            continue
        part = (weights * hit).sum(-1)[tokens, None] * expert(x[tokens])
        if result is None:
            result = part.new_zeros(len(x), part.shape[1])
        result[tokens] = part
    return result


def balance_loss(logits: Tensor, k: int) -> Tensor:
    count = logits.shape[1]
    chosen = logits.topk(k, -1).indices.flatten()
    share = torch.bincount(chosen, minlength=count).to(logits.dtype) / len(chosen)
    return count * (share * logits.softmax(-1).mean(0)).sum()
