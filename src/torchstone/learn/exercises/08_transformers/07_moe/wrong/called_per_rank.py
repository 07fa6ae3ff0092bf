# rejected by: experts_see_their_own_tokens: Collect all tokens of an expert and call it once
# "Each is called once at most": one call for each of the k ranks
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    """The weighted sum of what each token's k best experts return."""
    best, choice = logits.topk(k, dim=-1)
    weights = best.softmax(-1)
    result = None
    for rank in range(k):
        for i, expert in enumerate(experts):
            rows = (choice[:, rank] == i).nonzero()[:, 0]
            if len(rows):
                part = expert(x[rows]) * weights[rows, rank, None]
                if result is None:
                    result = part.new_zeros(len(x), part.shape[1])
                result = result.index_add(0, rows, part)
    return result


def balance_loss(logits: Tensor, k: int) -> Tensor:
    """E · Σ (share of choices) · (mean probability): 1 when all experts are used alike."""
    number = logits.shape[1]
    choice = logits.detach().topk(k).indices.flatten()
    share = torch.bincount(choice, minlength=number).to(logits.dtype) / choice.numel()
    return number * (share * logits.softmax(1).mean(0)).sum()
