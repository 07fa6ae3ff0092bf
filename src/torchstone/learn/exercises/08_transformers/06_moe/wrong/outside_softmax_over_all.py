# rejected by: mixture_is_right: Softmax over all experts
# 'the softmax over these k logits only, so they add up to 1': the weights are cut out of the softmax over all experts
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    weights, chosen = logits.softmax(-1).topk(k, -1)
    out = None
    for number, expert in enumerate(experts):
        tokens, slots = torch.where(chosen == number)
        if not len(tokens):
            continue
        part = expert(x[tokens]) * weights[tokens, slots, None]
        out = part.new_zeros(len(x), part.shape[1]) if out is None else out
        out = out.index_add(0, tokens, part)
    return out


def balance_loss(logits: Tensor, k: int) -> Tensor:
    count = logits.shape[1]
    chosen = logits.topk(k, -1).indices.flatten()
    share = torch.bincount(chosen, minlength=count).to(logits.dtype) / len(chosen)
    return count * (share * logits.softmax(-1).mean(0)).sum()
