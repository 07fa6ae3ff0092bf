# earns: solved lean
# all choices sorted by expert and split; experts without tokens are called with none
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    """The weighted sum of what each token's k best experts return."""
    best, chosen = logits.topk(k)
    weights = best.softmax(-1)
    flat = chosen.flatten()
    order = flat.argsort(stable=True)
    tokens = order.div(k, rounding_mode="floor")
    sizes = torch.bincount(flat, minlength=len(experts)).tolist()
    outputs = torch.cat([expert(part) for expert, part in zip(experts, x[tokens].split(sizes))])
    weighted = outputs * weights.flatten()[order].unsqueeze(1)
    return weighted.new_zeros(len(x), weighted.shape[1]).index_add(0, tokens, weighted)


def balance_loss(logits: Tensor, k: int) -> Tensor:
    """E · Σ (share of choices) · (mean probability): 1 when all experts are used alike."""
    tokens, count = logits.shape
    chosen = logits.topk(k).indices.flatten()
    share = torch.bincount(chosen, minlength=count).to(logits.dtype) / (tokens * k)
    return count * (share * logits.softmax(-1).mean(0)).sum()
