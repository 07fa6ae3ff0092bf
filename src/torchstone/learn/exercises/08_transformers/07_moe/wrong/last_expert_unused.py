# rejected by: balance_is_right: E · Σ fₑ · pₑ: fₑ counts choices, pₑ is the mean softmax over all experts.
# the counts end at the last expert that was chosen, an error where a later one got nothing; 'E · Σₑ fₑ · pₑ, where E
# is the number of experts, fₑ the share of all tokens · k choices that fell on expert e'
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    """The weighted sum of what each token's k best experts return."""
    best, chosen = logits.topk(k, dim=1)
    weights = best.softmax(1).flatten()
    chosen = chosen.flatten()
    order = chosen.argsort(stable=True)
    tokens = order.div(k, rounding_mode="floor")
    sizes = torch.bincount(chosen, minlength=len(experts)).tolist()
    parts = [expert(part) for expert, part in zip(experts, x[tokens].split(sizes), strict=True)]
    answers = torch.cat(parts) * weights[order, None]
    return answers.new_zeros(len(x), answers.shape[1]).index_add(0, tokens, answers)


def balance_loss(logits: Tensor, k: int) -> Tensor:
    """E · Σ (share of choices) · (mean probability): 1 when all experts are used alike."""
    number = logits.shape[1]
    chosen = logits.detach().topk(k, dim=1).indices.flatten()
    share = torch.bincount(chosen).to(logits.dtype) / chosen.numel()
    return number * torch.dot(share, logits.softmax(1).mean(0))
