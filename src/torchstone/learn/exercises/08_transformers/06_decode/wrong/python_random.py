# rejected by: seeds_repeat_a_call: All dice are torch's: torch.rand and torch.multinomial repeat after
# whether a token is kept is drawn from Python's generator; 'Random numbers come from torch's global generator'
"""Choose the next tokens: top-p, beam search, speculative decoding."""

import random
from collections.abc import Callable

import torch
from torch import Tensor


def top_p(logits: Tensor, p: float) -> Tensor:
    """Probabilities over the fewest most likely tokens that add up to at least p."""
    ordered, places = logits.softmax(-1).sort(-1, descending=True)
    before = ordered.cumsum(-1) - ordered
    keep = before < p
    keep[..., 0] = True
    kept = torch.zeros_like(ordered).scatter(-1, places, ordered * keep)
    return kept / kept.sum(-1, keepdim=True)


def beam_search(step: Callable[[Tensor], Tensor], start: Tensor, width: int, length: int) -> tuple[Tensor, Tensor]:
    """The best of `width` sequences after `length` more tokens, and the sum of its log-probabilities."""
    beams = start[None]
    sums = torch.zeros(1, device=start.device)
    for _ in range(length):
        scores = step(beams)
        totals = sums[:, None] + scores
        sums, best = totals.flatten().topk(min(width, totals.numel()))
        beams = torch.cat([beams[best // totals.shape[1]], (best % totals.shape[1])[:, None]], 1)
    return beams[0], sums[0]


def speculate(target: Tensor, draft: Tensor, tokens: Tensor) -> Tensor:
    """The guessed tokens that are kept, and one more."""
    kept = []
    for i, token in enumerate(tokens.tolist()):
        if random.random() * draft[i, token] >= target[i, token]:
            rest = (target[i] - draft[i]).clamp(min=0)
            kept.append(torch.multinomial(rest, 1).item())
            return torch.tensor(kept, dtype=tokens.dtype, device=tokens.device)
        kept.append(token)
    kept.append(torch.multinomial(target[len(tokens)], 1).item())
    return torch.tensor(kept, dtype=tokens.dtype, device=tokens.device)
