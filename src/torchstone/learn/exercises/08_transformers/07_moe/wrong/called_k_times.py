# rejected by: experts_see_their_own_tokens: Collect all tokens of an expert and call it once: a loop over
# an expert is called once for each of the k ranks; 'Each is called once at most and sees only the tokens that chose
# it'
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    """The weighted sum of what each token's k best experts return."""
    best = logits.topk(k, dim=-1)
    weights = best.values.softmax(-1)
    result = None
    for rank in range(k):
        for i, expert in enumerate(experts):
            token = (best.indices[:, rank] == i).nonzero().flatten()
            if len(token):
                part = expert(x[token]) * weights[token, rank, None]
                if result is None:
                    result = part.new_zeros(x.shape[0], part.shape[1])
                result = result.index_add(0, token, part)
    return result


def balance_loss(logits: Tensor, k: int) -> Tensor:
    """E · Σ (share of choices) · (mean probability): 1 when all experts are used alike."""
    tokens, count = logits.shape
    chosen = torch.bincount(logits.detach().topk(k, dim=-1).indices.flatten(), minlength=count)
    share = chosen.to(logits.dtype) / (tokens * k)
    return count * (share * logits.softmax(-1).mean(0)).sum()
