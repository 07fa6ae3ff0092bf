# rejected by: experts_see_their_own_tokens: An expert takes (n, width), also where one token alone has chosen
# an expert that one token chose gets `(width,)`; '`experts` is a list of modules that take `(n, width)` to `(n, width
# out)`'
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    """The weighted sum of what each token's k best experts return."""
    best, choice = logits.topk(k, dim=-1)
    weights = best.softmax(-1).flatten()
    order = choice.flatten().argsort(stable=True)
    counts = torch.bincount(choice.flatten(), minlength=len(experts)).tolist()
    tokens = order // k
    parts = [
        expert(x[rows].squeeze(0)).reshape(len(rows), -1)
        for expert, rows in zip(experts, tokens.split(counts), strict=True)
        if len(rows)
    ]
    answers = torch.cat(parts) * weights[order, None]
    return answers.new_zeros(len(x), answers.shape[1]).index_add(0, tokens, answers)


def balance_loss(logits: Tensor, k: int) -> Tensor:
    """E · Σ (share of choices) · (mean probability): 1 when all experts are used alike."""
    experts = logits.shape[1]
    choice = logits.detach().topk(k, dim=-1).indices.flatten()
    share = torch.bincount(choice, minlength=experts).to(logits.dtype) / len(choice)
    return experts * torch.dot(share, logits.softmax(-1).mean(0))
