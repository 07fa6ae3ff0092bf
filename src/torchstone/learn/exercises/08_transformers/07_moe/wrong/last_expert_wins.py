# rejected by: mixture_is_right: A token's result is the sum over its k experts
# out[token] = out[token] + … for all choices at once: of a token's k places only one write remains; breaks 'the
# weighted sum of what those experts return' for k = 2
"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    """The weighted sum of what each token's k best experts return."""
    best, chosen = logits.topk(k, dim=-1)
    weights = best.softmax(-1).flatten()
    chosen = chosen.flatten()
    order = chosen.argsort(stable=True)
    token = order // k
    sizes = torch.bincount(chosen, minlength=len(experts)).tolist()
    parts = [expert(part) for expert, part in zip(experts, x[token].split(sizes)) if len(part)]
    returned = torch.cat(parts) * weights[order, None]
    result = returned.new_zeros(len(x), returned.shape[1])
    result[token] = result[token] + returned
    return result


def balance_loss(logits: Tensor, k: int) -> Tensor:
    """E · Σ (share of choices) · (mean probability): 1 when all experts are used alike."""
    tokens, count = logits.shape
    chosen = logits.topk(k, dim=-1).indices.flatten()
    share = torch.bincount(chosen, minlength=count).to(logits.dtype) / (tokens * k)
    return count * torch.dot(share, logits.softmax(-1).mean(0))
