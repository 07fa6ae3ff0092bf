# rejected by: top_p_is_right: the result of top_p
# 'probabilities over the last axis' of any batch: the cut is taken from the first row of all
"""Choose the next tokens: top-p, beam search, speculative decoding."""

from collections.abc import Callable

import torch
from torch import Tensor


def top_p(logits: Tensor, p: float) -> Tensor:
    flat = logits.reshape(-1, logits.shape[-1])
    probabilities = flat.softmax(-1)
    ordered = probabilities.sort(-1, descending=True).values
    count = min(int((ordered.cumsum(-1) < p).sum(-1)[0]) + 1, flat.shape[-1])
    threshold = ordered[:, count - 1 : count]
    kept = torch.where(probabilities >= threshold, probabilities, 0)
    return (kept / kept.sum(-1, keepdim=True)).view_as(logits)


def beam_search(step: Callable[[Tensor], Tensor], start: Tensor, width: int, length: int) -> tuple[Tensor, Tensor]:
    beams, sums = start[None], torch.zeros(1, device=start.device)
    for _ in range(length):
        scores = sums[:, None] + step(beams)
        sums, best = scores.flatten().topk(min(width, scores.numel()))
        rows = best // scores.shape[1]
        beams = torch.cat([beams[rows], (best % scores.shape[1])[:, None]], 1)
    return beams[0], sums[0]


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
