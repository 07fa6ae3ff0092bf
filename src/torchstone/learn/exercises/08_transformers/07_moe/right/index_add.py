# earns: solved lean
# for each expert the tokens that chose it, added up with index_add
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
        tokens, slots = (best.indices == number).nonzero(as_tuple=True)
        part = expert(x[tokens]) * weights[tokens, slots, None]
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
