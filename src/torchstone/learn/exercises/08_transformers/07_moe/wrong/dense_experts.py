# rejected by: experts_see_their_own_tokens: An expert that sees every token is a large layer again
# "sees only the tokens that chose it": every expert gets every token, weights of 0 elsewhere
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    """The weighted sum of what each token's k best experts return."""
    best, choice = logits.topk(k, dim=-1)
    weights = torch.zeros_like(logits).scatter(1, choice, best.softmax(-1))
    return sum(weights[:, i, None] * expert(x) for i, expert in enumerate(experts))


def balance_loss(logits: Tensor, k: int) -> Tensor:
    """E · Σ (share of choices) · (mean probability): 1 when all experts are used alike."""
    number = logits.shape[1]
    choice = logits.detach().topk(k).indices.flatten()
    share = torch.bincount(choice, minlength=number).to(logits.dtype) / choice.numel()
    return number * (share * logits.softmax(1).mean(0)).sum()
