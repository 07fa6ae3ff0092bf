# earns: solved lean
# topk, a loop over experts with nonzero and index_add, unused ones left out
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    """The weighted sum of what each token's k best experts return."""
    best, chosen = logits.topk(k, -1)
    weights = best.softmax(-1)
    result = None
    for i, expert in enumerate(experts):
        token, slot = (chosen == i).nonzero(as_tuple=True)
        if len(token) == 0:
            continue
        part = expert(x[token]) * weights[token, slot, None]
        if result is None:
            result = part.new_zeros(len(x), part.shape[1])
        result = result.index_add(0, token, part)
    return result


def balance_loss(logits: Tensor, k: int) -> Tensor:
    """E · Σ (share of choices) · (mean probability): 1 when all experts are used alike."""
    count = logits.shape[1]
    chosen = logits.topk(k, -1).indices
    share = torch.bincount(chosen.flatten(), minlength=count) / chosen.numel()
    return count * (share.to(logits.dtype) * logits.softmax(-1).mean(0)).sum()
