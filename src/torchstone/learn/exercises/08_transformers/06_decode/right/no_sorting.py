# earns: solved
"""Choose the next tokens: top-p, beam search, speculative decoding."""

from collections.abc import Callable

import torch
from torch import Tensor


def top_p(logits: Tensor, p: float) -> Tensor:
    chances = torch.softmax(logits, dim=-1)
    likelier = chances.unsqueeze(-2) > chances.unsqueeze(-1)  # [i, j]: j is likelier than i
    before = (likelier * chances.unsqueeze(-2)).sum(-1)
    keep = (before < p) | ~likelier.any(-1)
    kept = chances * keep
    return kept / kept.sum(-1, keepdim=True)


def beam_search(step: Callable[[Tensor], Tensor], start: Tensor, width: int, length: int) -> tuple[Tensor, Tensor]:
    sequences = [start.tolist()]
    sums = [torch.zeros((), device=start.device)]
    for _ in range(length):
        table = step(torch.tensor(sequences, dtype=start.dtype, device=start.device).reshape(len(sequences), -1))
        candidates = []
        for sequence, total, row in zip(sequences, sums, table, strict=True):
            for token in range(len(row)):
                candidates.append((total + row[token], sequence + [token]))
        candidates = sorted(candidates, key=lambda pair: float(pair[0]), reverse=True)[:width]
        sums = [total for total, _ in candidates]
        sequences = [sequence for _, sequence in candidates]
    return torch.tensor(sequences[0], dtype=start.dtype, device=start.device), sums[0]


def speculate(target: Tensor, draft: Tensor, tokens: Tensor) -> Tensor:
    k = tokens.numel()
    wanted = target[:k].gather(1, tokens.view(-1, 1)).view(-1)
    offered = draft.gather(1, tokens.view(-1, 1)).view(-1)
    kept = torch.rand(k, device=target.device) < wanted / offered
    n = int(kept.long().cumprod(0).sum())
    if n == k:
        last = target[k]
    else:
        last = torch.relu(target[n] - draft[n])
        last = last / last.sum()
    return torch.cat((tokens[:n], torch.multinomial(last, 1).to(tokens.dtype)))
