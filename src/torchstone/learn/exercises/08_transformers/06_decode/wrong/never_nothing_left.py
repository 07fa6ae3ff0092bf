# rejected by: rare_tokens_are_right: max(target − draft, 0) is 0 for these tokens: nothing may be added to it.
# what is drawn instead has a ten-thousandth of a chance for every token; 'draw another from max(target[i] − draft[i], 0)'
"""Choose the next tokens: top-p, beam search, speculative decoding."""

from collections.abc import Callable

import torch
from torch import Tensor


def top_p(logits: Tensor, p: float) -> Tensor:
    """Probabilities over the fewest most likely tokens that add up to at least p."""
    probabilities, order = logits.softmax(-1).sort(dim=-1, descending=True)
    # What stands before a token decides: the one that crosses p still stays, and before the first stands nothing.
    before = probabilities.cumsum(-1) - probabilities
    dropped = before >= p
    dropped[..., 0] = False
    kept = probabilities.masked_fill(dropped, 0)
    return torch.zeros_like(kept).scatter(-1, order, kept / kept.sum(-1, keepdim=True))


def beam_search(step: Callable[[Tensor], Tensor], start: Tensor, width: int, length: int) -> tuple[Tensor, Tensor]:
    """The best of `width` sequences after `length` more tokens, and the sum of its log-probabilities."""
    beams, sums = start[None], None
    for _ in range(length):
        scores = step(beams)
        scores = scores if sums is None else sums[:, None] + scores
        # All continuations of all beams compete with each other; two of the best may have the same beginning.
        sums, places = scores.flatten().topk(min(width, scores.numel()))
        rows, tokens = places // scores.shape[1], places % scores.shape[1]
        beams = torch.cat([beams[rows], tokens[:, None]], dim=1)
    return beams[0], sums[0]


def speculate(target: Tensor, draft: Tensor, tokens: Tensor) -> Tensor:
    """The guessed tokens that are kept, and one more."""
    k = len(tokens)
    places = torch.arange(k, device=tokens.device)
    ratios = target[places, tokens] / draft[places, tokens]
    kept = torch.rand(k, device=tokens.device) < ratios
    # cumprod turns the first 0 and all that follow into 0: their sum is the number of tokens before the first refusal.
    count = int(kept.long().cumprod(0).sum())
    # What the draft had too much of was refused; what it had too little of is drawn here (multinomial normalizes).
    rest = target[k] if count == k else (target[count] - draft[count]).clamp_min(1e-4)
    return torch.cat([tokens[:count], torch.multinomial(rest, 1)])
