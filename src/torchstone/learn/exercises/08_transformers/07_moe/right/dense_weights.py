# earns: solved lean
# a dense weight matrix by scatter, boolean picking of each expert's tokens, parts gathered and added once
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    values, places = logits.topk(k)
    dense = torch.full_like(logits, -torch.inf).scatter(1, places, values).softmax(1)
    member = torch.zeros_like(logits, dtype=torch.bool).scatter(1, places, True)
    rows, parts = [], []
    for number in range(len(experts)):
        mine = torch.where(member[:, number])[0]
        if mine.numel():
            rows.append(mine)
            parts.append(experts[number](x.index_select(0, mine)) * dense[mine, number].unsqueeze(1))
    everything = torch.cat(parts)
    out = torch.zeros(x.shape[0], everything.shape[1], dtype=everything.dtype, device=everything.device)
    return out.index_add(0, torch.cat(rows), everything)


def balance_loss(logits: Tensor, k: int) -> Tensor:
    experts = logits.size(1)
    hits = torch.nn.functional.one_hot(logits.detach().topk(k, dim=1).indices, experts)
    share = hits.flatten(0, 1).to(logits.dtype).mean(0)
    probability = torch.exp(logits - logits.logsumexp(1, keepdim=True)).mean(0)
    return experts * torch.einsum("e,e->", share, probability)
