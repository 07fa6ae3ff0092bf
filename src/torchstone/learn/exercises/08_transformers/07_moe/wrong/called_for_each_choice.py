# rejected by: experts_see_their_own_tokens: Collect all tokens of an expert and call it once
# asks the experts for the first choices of all tokens, then for the second: an expert is called up to k times
# ('Each is called once at most')
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def _chosen(logits: Tensor, k: int) -> Tensor:
    """(tokens, experts) of booleans."""
    return torch.zeros_like(logits, dtype=torch.bool).scatter_(1, logits.detach().topk(k, 1).indices, True)


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    """The weighted sum of what each token's k best experts return."""
    chosen = _chosen(logits, k)
    weights = logits.masked_fill(~chosen, float("-inf")).softmax(1)
    result = None
    places = logits.topk(k, 1).indices
    for i, expert, choice in ((i, expert, choice) for choice in range(k) for i, expert in enumerate(experts)):
        (rows,) = torch.where(places[:, choice] == i)
        if rows.numel() == 0:
            continue
        answer = expert(x[rows]) * weights[rows, i].unsqueeze(1)
        if result is None:
            result = torch.zeros(len(x), answer.shape[1], dtype=answer.dtype, device=answer.device)
        result = torch.index_add(result, 0, rows, answer)
    return result


def balance_loss(logits: Tensor, k: int) -> Tensor:
    """E · Σ (share of choices) · (mean probability): 1 when all experts are used alike."""
    share = _chosen(logits, k).to(logits.dtype).mean(0) / k
    return logits.shape[1] * (share * torch.softmax(logits, 1).mean(0)).sum()
