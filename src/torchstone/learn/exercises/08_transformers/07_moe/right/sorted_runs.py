# earns: solved lean
# all choices sorted by expert, split, and sorted back
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    """The weighted sum of what each token's k best experts return."""
    chosen = logits.sort(dim=1, descending=True).indices[:, :k]
    weights = torch.softmax(logits.gather(1, chosen), dim=1)
    order = chosen.flatten().argsort(stable=True)  # all choices, sorted by expert
    sizes = torch.bincount(chosen.flatten(), minlength=len(experts)).tolist()
    runs = x[order // k].split(sizes)
    answers = torch.cat([expert(run) for expert, run in zip(experts, runs) if len(run)])
    back = answers[order.argsort()].unflatten(0, (len(x), k))
    return torch.einsum("tk,tke->te", weights, back)


def balance_loss(logits: Tensor, k: int) -> Tensor:
    """E · Σ (share of choices) · (mean probability): 1 when all experts are used alike."""
    with torch.no_grad():
        places = torch.topk(logits, k).indices
        used = torch.zeros_like(logits).scatter(1, places, 1.0)
        share = used.mean(0) / k
    return logits.shape[1] * torch.dot(share, torch.softmax(logits, -1).mean(0))
