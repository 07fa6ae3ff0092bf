# earns: solved
# a threshold for top-p, tuples in Python for the beams, all coins at once for speculation
"""Choose the next tokens: top-p, beam search, speculative decoding."""

from collections.abc import Callable

import torch
from torch import Tensor


def top_p(logits: Tensor, p: float) -> Tensor:
    """Probabilities over the fewest most likely tokens that add up to at least p."""
    probabilities = torch.softmax(logits, dim=-1)
    ordered = probabilities.sort(dim=-1, descending=True).values
    short = (ordered.cumsum(-1)[..., :-1] < p).sum(-1, keepdim=True)
    smallest = ordered.gather(-1, short)
    kept = probabilities.masked_fill(probabilities < smallest, 0)
    return torch.nn.functional.normalize(kept, p=1, dim=-1)


def beam_search(step: Callable[[Tensor], Tensor], start: Tensor, width: int, length: int) -> tuple[Tensor, Tensor]:
    """The best of `width` sequences after `length` more tokens, and the sum of its log-probabilities."""
    sequences, sums = start.unsqueeze(0), None
    for _ in range(length):
        log_p = step(sequences)
        totals = log_p if sums is None else log_p + sums.unsqueeze(1)
        beams, vocabulary = totals.shape
        order = totals.reshape(-1).argsort(descending=True)[:width]
        parents = torch.div(order, vocabulary, rounding_mode="floor")
        sums = totals.reshape(-1)[order]
        sequences = torch.column_stack((sequences[parents], order - parents * vocabulary))
    if sums is None:
        sums = torch.zeros(1, device=start.device)
    return sequences[0], sums[0]


def speculate(target: Tensor, draft: Tensor, tokens: Tensor) -> Tensor:
    """The guessed tokens that are kept, and one more."""
    k = tokens.shape[0]
    places = torch.arange(k, device=tokens.device)
    ratio = target[places, tokens] / draft[places, tokens]
    kept = int((torch.rand(k, device=ratio.device, dtype=ratio.dtype) < ratio).long().cumprod(0).sum())
    if kept == k:
        weights = target[k]
    else:
        weights = torch.relu(target[kept] - draft[kept])
    return torch.hstack((tokens[:kept], torch.multinomial(weights, 1)))
