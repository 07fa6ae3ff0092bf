# rejected by: experts_see_their_own_tokens: An expert that sees every token is a large layer again
# 'Each ... sees only the tokens that chose it': every expert is asked about every token, and most answers are
# multiplied by 0
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    best, chosen = logits.topk(k, -1)
    weights = torch.zeros_like(logits).scatter(-1, chosen, best.softmax(-1))
    return sum(weights[:, i, None] * expert(x) for i, expert in enumerate(experts))


def balance_loss(logits: Tensor, k: int) -> Tensor:
    count = logits.shape[1]
    chosen = logits.topk(k, -1).indices.flatten()
    share = torch.bincount(chosen, minlength=count).to(logits.dtype) / len(chosen)
    return count * (share * logits.softmax(-1).mean(0)).sum()
