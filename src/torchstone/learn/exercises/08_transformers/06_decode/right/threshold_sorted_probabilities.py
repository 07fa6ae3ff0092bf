# earns: solved
# a threshold from the sorted probabilities; whole batches of acceptance at once
"""Choose the next tokens: top-p, beam search, speculative decoding."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional


def top_p(logits: Tensor, p: float) -> Tensor:
    """Probabilities over the fewest most likely tokens that add up to at least p."""
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32))
    probabilities = wide.softmax(-1)
    ordered = probabilities.sort(dim=-1, descending=True).values
    last = (ordered.cumsum(-1) < p).sum(-1, keepdim=True).clamp(max=logits.shape[-1] - 1)
    kept = probabilities.masked_fill(probabilities < ordered.gather(-1, last), 0.0)
    return (kept / kept.sum(-1, keepdim=True)).to(logits.dtype)


def beam_search(step: Callable[[Tensor], Tensor], start: Tensor, width: int, length: int) -> tuple[Tensor, Tensor]:
    """The best of `width` sequences after `length` more tokens, and the sum of its log-probabilities."""
    beams = start.unsqueeze(0)
    sums = torch.zeros(1, device=start.device)
    for _ in range(length):
        scores = sums.unsqueeze(1) + step(beams)
        vocabulary = scores.shape[1]
        sums, places = scores.flatten().topk(min(width, scores.numel()))
        rows = torch.div(places, vocabulary, rounding_mode="floor")
        beams = torch.cat((beams[rows], (places - rows * vocabulary).unsqueeze(1).to(beams.dtype)), dim=1)
    best = sums.argmax()
    return beams[best], sums[best]


def speculate(target: Tensor, draft: Tensor, tokens: Tensor) -> Tensor:
    """The guessed tokens that are kept, and one more."""
    k = len(tokens)
    places = torch.arange(k, device=tokens.device)
    ratio = target[places, tokens] / draft[places, tokens]
    keep = torch.rand(k, device=ratio.device, dtype=ratio.dtype) < ratio
    kept = int(keep.long().cumprod(0).sum())
    rest = (target - functional.pad(draft, (0, 0, 0, 1)))[kept].clamp(min=0)
    one_more = torch.multinomial(rest, 1).to(tokens.dtype)
    return torch.cat((tokens[:kept], one_more))
