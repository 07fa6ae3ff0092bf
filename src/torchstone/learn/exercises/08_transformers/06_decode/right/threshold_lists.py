# earns: solved
# a threshold in the logits, beams as a Python list, speculation without a loop
"""Choose the next tokens: top-p, beam search, speculative decoding."""

from collections.abc import Callable

import torch
from torch import Tensor


def top_p(logits: Tensor, p: float) -> Tensor:
    """Probabilities over the fewest most likely tokens that add up to at least p."""
    ordered = logits.softmax(-1).sort(-1, descending=True).values
    reached = ordered.cumsum(-1) >= p
    enough = torch.where(reached.any(-1), reached.to(torch.uint8).argmax(-1), logits.shape[-1] - 1)
    last = logits.sort(-1, descending=True).values.gather(-1, enough.unsqueeze(-1))
    return logits.masked_fill(logits < last, -torch.inf).softmax(-1)


def beam_search(step: Callable[[Tensor], Tensor], start: Tensor, width: int, length: int) -> tuple[Tensor, Tensor]:
    """The best of `width` sequences after `length` more tokens, and the sum of its log-probabilities."""
    candidates = [(torch.zeros((), device=start.device), start)]
    for _ in range(length):
        log_p = step(torch.stack([tokens for _, tokens in candidates]))
        longer = []
        for (total, tokens), row in zip(candidates, log_p):
            for token in row.topk(min(width, len(row))).indices:  # no more than `width` of one beam can survive
                longer.append((total + row[token], torch.cat([tokens, token.view(1)])))
        candidates = sorted(longer, key=lambda item: float(item[0]), reverse=True)[:width]
    total, tokens = candidates[0]
    return tokens, total


def speculate(target: Tensor, draft: Tensor, tokens: Tensor) -> Tensor:
    """The guessed tokens that are kept, and one more."""
    k = len(tokens)
    ratio = (target[:k] / draft).gather(1, tokens[:, None])[:, 0]
    kept = int((torch.rand(k, device=ratio.device) < ratio).long().cumprod(0).sum())
    taken = torch.cat([draft, torch.zeros_like(draft[:1])])
    rest = (target - taken)[kept].relu()
    return torch.cat([tokens[:kept], rest.multinomial(1)])
