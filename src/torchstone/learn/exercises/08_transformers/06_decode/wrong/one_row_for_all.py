# rejected by: top_p_is_right: the result of top_p is
# every row keeps as many tokens as the row that needs most; 'returns probabilities over the last axis. The fewest
# most likely tokens whose probabilities add up to at least p stay'
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
    stays = torch.arange(stays.shape[-1], device=stays.device) < stays.sum(-1).amax()
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
            rest = (target[i] - draft[i]).clamp(min=0)
            return torch.cat([tokens[:i], torch.multinomial(rest / rest.sum(), 1)])
    return torch.cat([tokens, torch.multinomial(target[k], 1)])
