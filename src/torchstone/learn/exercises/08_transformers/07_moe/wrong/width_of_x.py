# rejected by: mixture_is_right: A token's result is the sum over its k experts
# 'The result (tokens, width out)': the buffer has the width of x
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    best, chosen = logits.topk(k, -1)
    weights = best.softmax(-1)
    result = torch.zeros_like(x)
    for number, expert in enumerate(experts):
        tokens, slots = torch.where(chosen == number)
        if len(tokens):
            result = result.index_add(0, tokens, weights[tokens, slots, None] * expert(x[tokens]))
    return result


def balance_loss(logits: Tensor, k: int) -> Tensor:
    count = logits.shape[1]
    chosen = logits.topk(k, -1).indices.flatten()
    share = torch.bincount(chosen, minlength=count).to(logits.dtype) / len(chosen)
    return count * (share * logits.softmax(-1).mean(0)).sum()
