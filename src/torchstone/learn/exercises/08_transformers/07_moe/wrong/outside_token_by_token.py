# rejected by: experts_see_their_own_tokens: Collect all tokens of an expert and call it once
# 'the number of ops does not grow with the number of tokens' and each expert 'is called once at most': a loop over
# the tokens
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    best, chosen = logits.topk(k, -1)
    weights = best.softmax(-1)
    rows = []
    for t in range(len(x)):
        rows.append(sum(weights[t, j] * experts[int(chosen[t, j])](x[t : t + 1]) for j in range(k)))
    return torch.cat(rows)


def balance_loss(logits: Tensor, k: int) -> Tensor:
    count = logits.shape[1]
    chosen = logits.topk(k, -1).indices.flatten()
    share = torch.bincount(chosen, minlength=count).to(logits.dtype) / len(chosen)
    return count * (share * logits.softmax(-1).mean(0)).sum()
