# earns: solved
# top-p by the smallest probability that stays, beams by sort and divmod, speculation without a loop
"""Choose the next tokens: top-p, beam search, speculative decoding."""

from collections.abc import Callable

import torch
from torch import Tensor


def top_p(logits: Tensor, p: float) -> Tensor:
    """Probabilities over the fewest most likely tokens that add up to at least p."""
    probabilities = torch.softmax(logits, dim=-1)
    ordered = probabilities.sort(dim=-1, descending=True).values
    before = ordered.cumsum(-1).roll(1, -1)
    before[..., 0] = -1.0
    last = (before < p).sum(-1, keepdim=True) - 1
    smallest = ordered.gather(-1, last)
    kept = probabilities.masked_fill(probabilities < smallest, 0.0)
    return kept / kept.sum(-1, keepdim=True)


def beam_search(step: Callable[[Tensor], Tensor], start: Tensor, width: int, length: int) -> tuple[Tensor, Tensor]:
    """The best of `width` sequences after `length` more tokens, and the sum of its log-probabilities."""
    sequences, scores = start.unsqueeze(0), None
    while length > 0:
        following = step(sequences)
        table = following if scores is None else following + scores.unsqueeze(1)
        order = table.reshape(-1).argsort(descending=True)[:width]
        rows = torch.div(order, table.shape[1], rounding_mode="floor")
        columns = order.remainder(table.shape[1])
        sequences = torch.hstack([sequences.index_select(0, rows), columns.unsqueeze(1).to(start.dtype)])
        scores = table.reshape(-1).index_select(0, order)
        length -= 1
    return sequences[0], scores[0]


def speculate(target: Tensor, draft: Tensor, tokens: Tensor) -> Tensor:
    """The guessed tokens that are kept, and one more."""
    k = tokens.shape[0]
    asked = tokens.long().unsqueeze(1)
    chance = target[:k].gather(1, asked).squeeze(1) / draft.gather(1, asked).squeeze(1)
    kept = int((torch.rand(k, device=target.device) < chance).long().cumprod(0).sum())
    leftover = torch.relu(target[kept] - draft[kept]) if kept < k else target[k]
    return torch.cat([tokens[:kept], torch.multinomial(leftover / leftover.sum(), 1).to(tokens.dtype)])
