# earns: solved
# topk over everything for top-p, beams as Python lists, recursive speculation
"""Choose the next tokens: top-p, beam search, speculative decoding."""

from collections.abc import Callable

import torch
from torch import Tensor


def top_p(logits: Tensor, p: float) -> Tensor:
    probabilities = logits.softmax(-1)
    values, places = probabilities.topk(probabilities.shape[-1], dim=-1)
    sums = values.cumsum(-1)
    needed = (sums < p).sum(-1, keepdim=True) + 1
    ranks = torch.arange(values.shape[-1], device=logits.device).expand_as(values)
    values = values * (ranks < needed)
    values = values / values.sum(-1, keepdim=True)
    result = torch.zeros_like(probabilities)
    result.scatter_(-1, places, values)
    return result


def beam_search(step: Callable[[Tensor], Tensor], start: Tensor, width: int, length: int) -> tuple[Tensor, Tensor]:
    beams: list[tuple[Tensor, Tensor]] = [(start, torch.zeros((), device=start.device))]
    for _ in range(length):
        rows = step(torch.stack([tokens for tokens, _ in beams]))
        candidates = []
        for (tokens, total), row in zip(beams, rows):
            for word, value in enumerate(row.unbind()):
                candidates.append((total + value, tokens, word))
        candidates.sort(key=lambda candidate: float(candidate[0]), reverse=True)
        beams = [(torch.cat([tokens, tokens.new_tensor([word])]), total) for total, tokens, word in candidates[:width]]
    return beams[0]


def speculate(target: Tensor, draft: Tensor, tokens: Tensor) -> Tensor:
    if len(tokens) == 0:
        return torch.multinomial(target[0], 1).to(tokens.dtype)
    token = tokens[0]
    chance = torch.clamp(target[0, token] / draft[0, token], max=1.0)
    if torch.rand((), device=chance.device) < chance:
        return torch.cat([tokens[:1], speculate(target[1:], draft[1:], tokens[1:])])
    residual = torch.clamp(target[0] - draft[0], min=0)
    return torch.multinomial(residual / residual.sum(), 1).to(tokens.dtype)
