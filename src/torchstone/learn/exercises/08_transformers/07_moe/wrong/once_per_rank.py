# rejected by: experts_see_their_own_tokens: Collect all tokens of an expert and call
# an expert is called once for each rank (as first choice, as second choice …), so up to k times instead of once
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    """The weighted sum of what each token's k best experts return."""
    best = logits.topk(k, 1)
    weights = best.values.softmax(1)
    result = None
    for number, expert in enumerate(experts):
        for slot in range(k):
            tokens = (best.indices[:, slot] == number).nonzero()[:, 0]
            part = expert(x[tokens]) * weights[tokens, slot, None]
            if result is None:
                result = torch.zeros(len(x), part.shape[1], dtype=part.dtype, device=part.device)
            result = result.index_add(0, tokens, part)
    return result


def balance_loss(logits: Tensor, k: int) -> Tensor:
    """E · Σ (share of choices) · (mean probability): 1 when all experts are used alike."""
    tokens, experts = logits.shape
    chosen = logits.topk(k, 1).indices.flatten()
    share = torch.bincount(chosen, minlength=experts).to(logits.dtype) / (tokens * k)
    return experts * (share * logits.softmax(1).mean(0)).sum()
