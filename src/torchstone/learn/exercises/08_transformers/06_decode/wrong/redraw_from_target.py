# rejected by: speculation_is_the_target: Kept tokens and newly drawn ones together must be distributed as the
# the token in place of the first one not kept is drawn from the target's own probabilities without the refused token;
# 'draw another from max(target[i] − draft[i], 0), made to add up to 1'
"""Choose the next tokens: top-p, beam search, speculative decoding."""

from collections.abc import Callable

import torch
from torch import Tensor


def top_p(logits: Tensor, p: float) -> Tensor:
    """Probabilities over the fewest most likely tokens that add up to at least p."""
    probabilities = logits.softmax(-1)
    ordered, order = probabilities.sort(-1, descending=True)
    before = ordered.cumsum(-1) - ordered
    stays = before < p
    stays[..., 0] = True
    kept = torch.zeros_like(probabilities).scatter(-1, order, ordered * stays)
    return kept / kept.sum(-1, keepdim=True)


def beam_search(step: Callable[[Tensor], Tensor], start: Tensor, width: int, length: int) -> tuple[Tensor, Tensor]:
    """The best of `width` sequences after `length` more tokens, and the sum of its log-probabilities."""
    beams = start[None]
    sums = torch.zeros(1, device=start.device)
    for _ in range(length):
        log_p = step(beams)
        vocabulary = log_p.shape[1]
        totals = (sums[:, None] + log_p).flatten()
        sums, places = totals.topk(min(width, len(totals)))
        beams = torch.cat([beams[places // vocabulary], (places % vocabulary)[:, None]], 1)
    best = sums.argmax()
    return beams[best], sums[best]


def speculate(target: Tensor, draft: Tensor, tokens: Tensor) -> Tensor:
    """The guessed tokens that are kept, and one more."""
    k = len(tokens)
    for i in range(k):
        x = tokens[i]
        if torch.rand(()).item() * draft[i, x] >= target[i, x]:
            rest = target[i].clone()
            rest[x] = 0
            return torch.cat([tokens[:i], torch.multinomial(rest / rest.sum(), 1)])
    return torch.cat([tokens, torch.multinomial(target[k], 1)])
