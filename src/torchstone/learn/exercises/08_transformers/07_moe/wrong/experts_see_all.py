# rejected by: experts_see_their_own_tokens: An expert that sees every token is a large layer again
# "sees only the tokens that chose it": each expert gets all tokens, weighted by 0 where it was not chosen
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    """The weighted sum of what each token's k best experts return."""
    best, chosen = logits.topk(k)
    weights = best.softmax(-1)
    full = torch.zeros_like(logits).scatter(1, chosen, weights)
    return sum(full[:, i, None] * expert(x) for i, expert in enumerate(experts))


def balance_loss(logits: Tensor, k: int) -> Tensor:
    """E · Σ (share of choices) · (mean probability): 1 when all experts are used alike."""
    tokens, count = logits.shape
    chosen = logits.topk(k).indices.flatten()
    share = torch.bincount(chosen, minlength=count).to(logits.dtype) / (tokens * k)
    return count * (share * logits.softmax(-1).mean(0)).sum()
