# rejected by: beams_are_right: The model takes all beams at once
# "Call step once for all beams of a round": step is called for every beam by itself
"""Choose the next tokens: top-p, beam search, speculative decoding."""

from collections.abc import Callable

import torch
from torch import Tensor


def top_p(logits: Tensor, p: float) -> Tensor:
    """Probabilities over the fewest most likely tokens that add up to at least p."""
    ordered, places = logits.softmax(-1).sort(-1, descending=True)
    keep = ordered.cumsum(-1) - ordered < p
    keep[..., 0] = True
    kept = ordered * keep
    return torch.zeros_like(kept).scatter(-1, places, kept / kept.sum(-1, keepdim=True))


def beam_search(step: Callable[[Tensor], Tensor], start: Tensor, width: int, length: int) -> tuple[Tensor, Tensor]:
    """The best of `width` sequences after `length` more tokens, and the sum of its log-probabilities."""
    beams = start[None]
    sums = torch.zeros(1, device=start.device)
    for _ in range(length):
        scores = sums[:, None] + torch.cat([step(beam[None]) for beam in beams])
        sums, best = scores.flatten().topk(min(width, scores.numel()))
        beam, token = best // scores.shape[1], best % scores.shape[1]
        beams = torch.cat([beams[beam], token[:, None].to(beams.dtype)], 1)
    return beams[0], sums[0]


def speculate(target: Tensor, draft: Tensor, tokens: Tensor) -> Tensor:
    """The guessed tokens that are kept, and one more."""
    for place, token in enumerate(tokens):
        if torch.rand((), device=target.device) * draft[place, token] >= target[place, token]:
            rest = (target[place] - draft[place]).clamp(min=0)
            break
    else:
        place, rest = len(tokens), target[len(tokens)]
    return torch.cat([tokens[:place], torch.multinomial(rest, 1).to(tokens.dtype)])
