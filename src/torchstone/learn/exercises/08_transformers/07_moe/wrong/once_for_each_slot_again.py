# rejected by: experts_see_their_own_tokens: Collect all tokens of an expert and call it once: a loop over tokens makes many
# an expert is called once for each of the k places, up to k times; 'Each is called once at most'
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    """The weighted sum of what each token's k best experts return."""
    best, chosen = logits.topk(k, dim=1)
    weights = best.softmax(1)
    result = 0
    for slot in range(k):
        order = chosen[:, slot].argsort(stable=True)
        sizes = torch.bincount(chosen[:, slot], minlength=len(experts)).tolist()
        parts = [expert(part) for expert, part in zip(experts, x[order].split(sizes), strict=True) if len(part)]
        result = result + torch.cat(parts)[order.argsort()] * weights[:, slot, None]
    return result


def balance_loss(logits: Tensor, k: int) -> Tensor:
    """E · Σ (share of choices) · (mean probability): 1 when all experts are used alike."""
    number = logits.shape[1]
    chosen = logits.detach().topk(k, dim=1).indices.flatten()
    share = torch.bincount(chosen, minlength=number).to(logits.dtype) / chosen.numel()
    return number * torch.dot(share, logits.softmax(1).mean(0))
