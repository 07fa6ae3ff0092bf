# rejected by: balance_is_right: Only the first choice is counted
# fₑ counts the tokens whose best expert is e, the other k − 1 choices are forgotten; breaks 'the share of all
# tokens · k choices' for k = 2
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    """The weighted sum of what each token's k best experts return."""
    best, chosen = logits.topk(k, dim=-1)
    weights = best.softmax(-1).flatten()
    chosen = chosen.flatten()
    order = chosen.argsort(stable=True)
    token = order // k
    sizes = torch.bincount(chosen, minlength=len(experts)).tolist()
    parts = [expert(part) for expert, part in zip(experts, x[token].split(sizes)) if len(part)]
    returned = torch.cat(parts) * weights[order, None]
    return returned.new_zeros(len(x), returned.shape[1]).index_add(0, token, returned)


def balance_loss(logits: Tensor, k: int) -> Tensor:
    """E · Σ (share of choices) · (mean probability): 1 when all experts are used alike."""
    tokens, count = logits.shape
    share = torch.bincount(logits.argmax(-1), minlength=count).to(logits.dtype) / tokens
    return count * torch.dot(share, logits.softmax(-1).mean(0))
