# earns: solved
# sort and scatter, topk over the flattened sums, a loop over the guesses
"""Choose the next tokens: top-p, beam search, speculative decoding."""

from collections.abc import Callable

import torch
from torch import Tensor


def top_p(logits: Tensor, p: float) -> Tensor:
    """Probabilities over the fewest most likely tokens that add up to at least p."""
    ordered, order = logits.softmax(-1).sort(-1, descending=True)
    before = ordered.cumsum(-1) - ordered
    keep = before < p
    keep[..., 0] = True
    ordered = ordered * keep
    ordered = ordered / ordered.sum(-1, keepdim=True)
    return torch.zeros_like(ordered).scatter(-1, order, ordered)


def beam_search(step: Callable[[Tensor], Tensor], start: Tensor, width: int, length: int) -> tuple[Tensor, Tensor]:
    """The best of `width` sequences after `length` more tokens, and the sum of its log-probabilities."""
    beams = start[None]
    sums = torch.zeros(1, device=start.device)
    for _ in range(length):
        log_p = step(beams)
        vocabulary = log_p.shape[1]
        totals = (sums[:, None] + log_p).flatten()
        sums, best = totals.topk(min(width, len(totals)))
        beams = torch.cat([beams[best // vocabulary], (best % vocabulary)[:, None]], 1)
    return beams[0], sums[0]


def speculate(target: Tensor, draft: Tensor, tokens: Tensor) -> Tensor:
    """The guessed tokens that are kept, and one more."""
    for i, token in enumerate(tokens.tolist()):
        if torch.rand(()) >= target[i, token] / draft[i, token]:
            rest = (target[i] - draft[i]).clamp(min=0)
            return torch.cat([tokens[:i], torch.multinomial(rest / rest.sum(), 1)])
    return torch.cat([tokens, torch.multinomial(target[len(tokens)], 1)])
