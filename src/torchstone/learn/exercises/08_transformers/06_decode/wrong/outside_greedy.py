# rejected by: beams_are_right: the best sequence is
# 'keep the `width` sequences with the largest sum': each beam is continued with its own best token only
"""Choose the next tokens: top-p, beam search, speculative decoding."""

from collections.abc import Callable

import torch
from torch import Tensor


def top_p(logits: Tensor, p: float) -> Tensor:
    probabilities, order = logits.softmax(-1).sort(-1, descending=True)
    before = probabilities.cumsum(-1) - probabilities
    kept = torch.where(before < p, probabilities, 0)
    kept[..., 0] = probabilities[..., 0]
    kept = kept / kept.sum(-1, keepdim=True)
    return torch.zeros_like(kept).scatter(-1, order, kept)


def beam_search(step: Callable[[Tensor], Tensor], start: Tensor, width: int, length: int) -> tuple[Tensor, Tensor]:
    first = step(start[None])[0]
    count = min(width, len(first))
    sums, tokens = first.topk(count) if length else (torch.zeros(1), None)
    beams = start[None] if tokens is None else torch.cat([start.expand(count, -1), tokens[:, None]], 1)
    for _ in range(length - 1):
        best, token = step(beams).max(-1)
        sums = sums + best
        beams = torch.cat([beams, token[:, None]], 1)
    winner = sums.argmax()
    return beams[winner], sums[winner]


def speculate(target: Tensor, draft: Tensor, tokens: Tensor) -> Tensor:
    kept = []
    for i, token in enumerate(tokens.tolist()):
        if torch.rand(()).item() * draft[i, token] < target[i, token]:
            kept.append(token)
            continue
        kept.append(torch.multinomial((target[i] - draft[i]).clamp(min=0), 1).item())
        return torch.tensor(kept, device=tokens.device)
    kept.append(torch.multinomial(target[len(tokens)], 1).item())
    return torch.tensor(kept, device=tokens.device)
