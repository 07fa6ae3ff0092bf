# rejected by: ops_do_not_grow: Loop over experts
# (lean): "a loop over experts is fine, one over tokens is not": the outputs are put together token by token
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    """The weighted sum of what each token's k best experts return."""
    best, choice = torch.topk(logits, k, dim=-1)
    weights = best.softmax(-1).flatten()
    order = choice.flatten().argsort(stable=True)
    tokens = order // k
    counts = torch.bincount(choice.flatten(), minlength=len(experts)).tolist()
    outputs = torch.cat(
        [expert(part) for expert, part in zip(experts, x[tokens].split(counts), strict=True) if len(part)]
    )
    result = outputs.new_zeros(x.shape[0], outputs.shape[1])
    rows = list(result)
    for place, token in enumerate(tokens.tolist()):
        rows[token] = rows[token] + outputs[place] * weights[order[place]]
    return torch.stack(rows)


def balance_loss(logits: Tensor, k: int) -> Tensor:
    """E · Σ (share of choices) · (mean probability): 1 when all experts are used alike."""
    number = logits.shape[1]
    choice = logits.detach().topk(k).indices.flatten()
    share = torch.bincount(choice, minlength=number).to(logits.dtype) / choice.numel()
    return number * (share * logits.softmax(1).mean(0)).sum()
