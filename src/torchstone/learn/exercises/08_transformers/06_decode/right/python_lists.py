# earns: solved
# beams as a list of Python pairs, speculation by recursion, top-p through inverse places
"""Choose the next tokens: top-p, beam search, speculative decoding."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional


def top_p(logits: Tensor, p: float) -> Tensor:
    """Probabilities over the fewest most likely tokens that add up to at least p."""
    places = logits.argsort(-1, descending=True)
    ordered = logits.softmax(-1).take_along_dim(places, -1)
    before = functional.pad(ordered.cumsum(-1)[..., :-1], (1, 0), value=-1.0)
    gone = (before >= p).take_along_dim(places.argsort(-1), -1)
    return logits.masked_fill(gone, float("-inf")).softmax(-1)


def beam_search(step: Callable[[Tensor], Tensor], start: Tensor, width: int, length: int) -> tuple[Tensor, Tensor]:
    """The best of `width` sequences after `length` more tokens, and the sum of its log-probabilities."""
    beams: list[tuple[Tensor, Tensor | float]] = [(start, 0.0)]
    for _ in range(length):
        rows = step(torch.stack([tokens for tokens, _ in beams]))
        candidates = []
        for (tokens, total), row in zip(beams, rows):
            values, best = (total + row).topk(min(width, len(row)))
            for value, token in zip(values, best):
                candidates.append((torch.cat([tokens, token.reshape(1).to(tokens.dtype)]), value))
        candidates.sort(key=lambda one: float(one[1]), reverse=True)
        beams = candidates[:width]
    return beams[0]


def speculate(target: Tensor, draft: Tensor, tokens: Tensor) -> Tensor:
    """The guessed tokens that are kept, and one more."""
    if len(tokens) == 0:
        return torch.multinomial(target[0], 1).to(tokens.dtype)
    first = tokens[0].item()
    if torch.rand(1).item() < min(1.0, (target[0, first] / draft[0, first]).item()):
        return torch.cat([tokens[:1], speculate(target[1:], draft[1:], tokens[1:])])
    gap = torch.maximum(target[0] - draft[0], torch.zeros_like(target[0]))
    return torch.multinomial(gap / gap.sum(), 1).to(tokens.dtype)
