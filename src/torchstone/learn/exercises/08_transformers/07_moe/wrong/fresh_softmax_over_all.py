# rejected by: mixture_is_right: Softmax over all experts: the weights of the chosen ones no
# the weights are those of a softmax over all experts and do not add up to 1; 'Their weights are the softmax over
# these k logits *only*'
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    """The weighted sum of what each token's k best experts return."""
    best = logits.topk(k, dim=-1)
    weights = logits.softmax(-1).gather(1, best.indices).flatten()
    choice = best.indices.flatten()
    order = choice.argsort(stable=True)
    token = order // k
    sizes = torch.bincount(choice, minlength=len(experts)).tolist()
    results = [expert(mine) for expert, mine in zip(experts, x[token].split(sizes), strict=True) if len(mine)]
    results = torch.cat(results) * weights[order, None]
    return results.new_zeros(x.shape[0], results.shape[1]).index_add(0, token, results)


def balance_loss(logits: Tensor, k: int) -> Tensor:
    """E · Σ (share of choices) · (mean probability): 1 when all experts are used alike."""
    tokens, count = logits.shape
    chosen = torch.bincount(logits.detach().topk(k, dim=-1).indices.flatten(), minlength=count)
    share = chosen.to(logits.dtype) / (tokens * k)
    return count * (share * logits.softmax(-1).mean(0)).sum()
