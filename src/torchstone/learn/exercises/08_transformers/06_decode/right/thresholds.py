# earns: solved
# top-p by a rank and counting, beams with unravel_index, speculation without a loop: one row of random numbers, first
# failure by cumprod
"""Choose the next tokens: top-p, beam search, speculative decoding."""

from collections.abc import Callable

import torch
from torch import Tensor


def top_p(logits: Tensor, p: float) -> Tensor:
    probabilities = torch.softmax(logits, dim=-1)
    order = probabilities.argsort(dim=-1, descending=True)
    ranked = probabilities.gather(-1, order)
    total = ranked.cumsum(-1)
    reached = torch.cat([torch.zeros_like(total[..., :1]), total[..., :-1]], dim=-1) >= p
    reached[..., 0] = False
    drop = torch.empty_like(reached).scatter_(-1, order, reached)
    kept = probabilities.masked_fill(drop, 0.0)
    return kept / kept.sum(dim=-1, keepdim=True)


def beam_search(step: Callable[[Tensor], Tensor], start: Tensor, width: int, length: int) -> tuple[Tensor, Tensor]:
    sequences = start.unsqueeze(0)
    totals = None
    for _ in range(length):
        log_probabilities = step(sequences)
        candidates = log_probabilities if totals is None else totals.unsqueeze(1) + log_probabilities
        count = min(width, candidates.numel())
        order = candidates.reshape(-1).argsort(descending=True)[:count]
        rows, words = torch.unravel_index(order, candidates.shape)
        totals = candidates[rows, words]
        sequences = torch.cat((sequences[rows], words.to(sequences.dtype).unsqueeze(1)), dim=1)
    if totals is None:
        return start.clone(), torch.zeros((), device=start.device)
    return sequences[0], totals[0]


def speculate(target: Tensor, draft: Tensor, tokens: Tensor) -> Tensor:
    k = tokens.shape[0]
    places = torch.arange(k, device=tokens.device)
    ratio = target[places, tokens] / draft[places, tokens]
    accepted = (torch.rand(k, device=tokens.device) < ratio).long().cumprod(0)
    count = int(accepted.sum())
    if count < k:
        rest = torch.relu(target[count] - draft[count])
    else:
        rest = target[k]
    return torch.cat([tokens[:count], torch.multinomial(rest, 1).to(tokens.dtype)])
