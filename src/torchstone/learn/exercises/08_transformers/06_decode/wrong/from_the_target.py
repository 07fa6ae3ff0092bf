# rejected by: speculation_is_the_target: Kept tokens and newly drawn ones together must be distributed as the
# 'draw another from max(target[i] − draft[i], 0)': it is drawn from target[i], and the distribution is no longer the
# expensive model's
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
        kept.append(torch.multinomial(target[i], 1).item())
        return torch.tensor(kept, device=tokens.device)
    kept.append(torch.multinomial(target[len(tokens)], 1).item())
    return torch.tensor(kept, device=tokens.device)
