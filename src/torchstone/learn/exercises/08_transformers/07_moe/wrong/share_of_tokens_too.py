# rejected by: balance_is_right: E · Σ fₑ · pₑ
# "fₑ the share of all tokens · k choices that fell on expert e": choices are divided by the tokens alone, which gives
# k when all are used alike
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    """The weighted sum of what each token's k best experts return."""
    best, chosen = logits.topk(k)
    weights = best.softmax(-1)
    result = None
    for i, expert in enumerate(experts):
        tokens, slots = (chosen == i).nonzero(as_tuple=True)
        if len(tokens) == 0:
            continue
        output = expert(x[tokens]) * weights[tokens, slots, None]
        if result is None:
            result = output.new_zeros(len(x), output.shape[1])
        result = result.index_add(0, tokens, output)
    return result


def balance_loss(logits: Tensor, k: int) -> Tensor:
    """E · Σ (share of choices) · (mean probability): 1 when all experts are used alike."""
    tokens, count = logits.shape
    chosen = logits.topk(k).indices.flatten()
    share = torch.bincount(chosen, minlength=count).to(logits.dtype) / tokens
    return count * (share * logits.softmax(-1).mean(0)).sum()
