# rejected by: crowded_experts_serve_everyone: An expert takes every token that chose it, however many do
# an expert takes twice its fair share at most, and the rest is dropped; 'A token goes to its k best experts'
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
    capacity = max(1, 2 * len(tokens) // len(experts))
    kept = [rows[:capacity] for rows in order.split(counts)]
    parts = [expert(x[rows // k]) for expert, rows in zip(experts, kept, strict=True) if len(rows)]
    order = torch.cat(kept)
    tokens = order // k
    answers = torch.cat(parts) * weights[order, None]
    return answers.new_zeros(len(x), answers.shape[1]).index_add(0, tokens, answers)


def balance_loss(logits: Tensor, k: int) -> Tensor:
    """E · Σ (share of choices) · (mean probability): 1 when all experts are used alike."""
    experts = logits.shape[1]
    choice = logits.detach().topk(k, dim=-1).indices.flatten()
    share = torch.bincount(choice, minlength=experts).to(logits.dtype) / len(choice)
    return experts * torch.dot(share, logits.softmax(-1).mean(0))
