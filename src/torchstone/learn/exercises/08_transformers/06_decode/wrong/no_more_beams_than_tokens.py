# rejected by: width_may_be_beyond_the_vocabulary: There may be more beams than tokens in the vocabulary
# keeps at most as many beams as the vocabulary has tokens; breaks 'keep the width sequences (fewer, while there are
# fewer)' with 2 tokens and width 4: the second round has 4 candidates, it keeps 2 (seen when the best continuation
# begins with the third: p(0) = 0.6, then 0.51, then 0.52 after 0 but 0.999 after 1; length 4)
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
    beams, sums = start[None], None
    for _ in range(length):
        scores = step(beams)
        if sums is not None:
            scores = scores + sums[:, None]
        vocabulary = scores.shape[1]
        sums, best = scores.flatten().topk(min(width, vocabulary))
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
