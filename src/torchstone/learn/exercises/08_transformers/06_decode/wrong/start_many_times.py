# rejected by: beams_are_right: That is the greedy way
# begins with `width` copies of the start, all with the sum 0: the first round keeps the same best token `width`
# times and the search is greedy ('fewer, while there are fewer')
"""Choose the next tokens: top-p, beam search, speculative decoding."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional


def top_p(logits: Tensor, p: float) -> Tensor:
    """Probabilities over the fewest most likely tokens that add up to at least p."""
    sorted_, order = logits.softmax(-1).sort(-1, descending=True)
    before = functional.pad(sorted_.cumsum(-1)[..., :-1], (1, 0))  # what the more likely ones add up to
    keep = before < p
    keep[..., 0] = True
    sorted_ = sorted_ * keep
    sorted_ = sorted_ / sorted_.sum(-1, keepdim=True)
    return torch.zeros_like(sorted_).scatter(-1, order, sorted_)


def beam_search(step: Callable[[Tensor], Tensor], start: Tensor, width: int, length: int) -> tuple[Tensor, Tensor]:
    """The best of `width` sequences after `length` more tokens, and the sum of its log-probabilities."""
    beams, sums = start.repeat(width, 1), None
    for _ in range(length):
        scores = step(beams)
        if sums is not None:
            scores = scores + sums[:, None]
        vocabulary = scores.shape[1]
        sums, best = scores.flatten().topk(min(width, scores.numel()))
        beams = torch.cat([beams[best // vocabulary], (best % vocabulary)[:, None].to(beams.dtype)], 1)
    return beams[0], sums[0]


def speculate(target: Tensor, draft: Tensor, tokens: Tensor) -> Tensor:
    """The guessed tokens that are kept, and one more."""
    k = len(tokens)
    at = tokens[:, None]
    ratio = (target[:k].gather(1, at) / draft.gather(1, at))[:, 0]
    kept = int((torch.rand(k, device=ratio.device) < ratio).long().cumprod(0).sum())
    weights = target[kept]
    if kept < k:
        rest = (target[kept] - draft[kept]).clamp(min=0)
        weights = rest if rest.sum() > 0 else weights
    return torch.cat([tokens[:kept], torch.multinomial(weights, 1).to(tokens.dtype)])
