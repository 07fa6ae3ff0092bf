# earns: solved lean
# a boolean table of choices; softmax of logits with minus infinity; outputs put into a list and added at the end
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    """The weighted sum of what each token's k best experts return."""
    chosen = torch.zeros_like(logits, dtype=torch.bool).scatter(1, logits.topk(k).indices, True)
    weights = logits.masked_fill(~chosen, float("-inf")).softmax(dim=1)
    places, pieces = [], []
    for expert, column, weight in zip(experts, chosen.unbind(1), weights.unbind(1)):
        rows = column.nonzero().squeeze(1)
        if rows.numel():
            places.append(rows)
            pieces.append(expert(x.index_select(0, rows)) * weight[rows].unsqueeze(1))
    flat = torch.cat(pieces)
    return torch.zeros(len(x), flat.shape[1], dtype=flat.dtype, device=flat.device).index_put(
        (torch.cat(places),), flat, accumulate=True
    )


def balance_loss(logits: Tensor, k: int) -> Tensor:
    """E · Σ (share of choices) · (mean probability): 1 when all experts are used alike."""
    ones = torch.zeros_like(logits.detach()).scatter(1, logits.topk(k).indices, 1.0)
    share = ones.mean(dim=0) / k
    return logits.shape[1] * torch.dot(share, torch.softmax(logits, dim=1).mean(dim=0))
