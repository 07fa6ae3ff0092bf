# rejected by: mixture_is_right: A token's result is the sum over its k experts
# "modules that take `(n, width)` to `(n, width out)`": the result is as wide as x
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    """The weighted sum of what each token's k best experts return."""
    best, chosen = logits.topk(k)
    weights = best.softmax(-1)
    result = torch.zeros_like(x)
    for i, expert in enumerate(experts):
        tokens, slots = (chosen == i).nonzero(as_tuple=True)
        if len(tokens) == 0:
            continue
        output = expert(x[tokens]) * weights[tokens, slots, None]
        result = result.index_add(0, tokens, output)
    return result


def balance_loss(logits: Tensor, k: int) -> Tensor:
    """E · Σ (share of choices) · (mean probability): 1 when all experts are used alike."""
    tokens, count = logits.shape
    chosen = logits.topk(k).indices.flatten()
    share = torch.bincount(chosen, minlength=count).to(logits.dtype) / (tokens * k)
    return count * (share * logits.softmax(-1).mean(0)).sum()
