# earns: solved lean
# the tokens · k choices sorted by expert, one split, the answers put back by the inverse order and summed over k
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    best, chosen = torch.topk(logits, k, dim=1)
    weights = torch.softmax(best, dim=1)
    flat = chosen.reshape(-1)
    order = flat.argsort()
    counts = torch.bincount(flat, minlength=len(experts)).tolist()
    pieces = x[order // k].split(counts)
    answers = torch.cat([expert(piece) for expert, piece in zip(experts, pieces) if len(piece)])
    back = torch.empty_like(order)
    back[order] = torch.arange(len(order), device=order.device)
    answers = answers[back].unflatten(0, (len(x), k))
    return (weights.unsqueeze(-1) * answers).sum(1)


def balance_loss(logits: Tensor, k: int) -> Tensor:
    tokens, count = logits.shape
    with torch.no_grad():
        picked = torch.zeros_like(logits).scatter_(1, logits.topk(k, 1)[1], 1.0)
        shares = picked.sum(0) / (tokens * k)
    means = torch.softmax(logits, 1).mean(0)
    return count * torch.dot(shares, means)
