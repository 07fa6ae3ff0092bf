# earns: solved
# a threshold on the probabilities, beams as Python lists, a loop over the guesses
"""Choose the next tokens: top-p, beam search, speculative decoding."""

from collections.abc import Callable

import torch
from torch import Tensor


def top_p(logits: Tensor, p: float) -> Tensor:
    """Probabilities over the fewest most likely tokens that add up to at least p."""
    probabilities = torch.softmax(logits, dim=-1)
    ranked = torch.sort(probabilities, dim=-1, descending=True).values
    enough = torch.cumsum(ranked, dim=-1) >= p
    enough[..., -1] = True
    last = enough.int().argmax(dim=-1, keepdim=True)  # the first place at which it is enough
    weakest = torch.gather(ranked, -1, last)
    kept = torch.where(probabilities >= weakest, probabilities, 0.0)
    return kept / kept.sum(dim=-1, keepdim=True)


def beam_search(step: Callable[[Tensor], Tensor], start: Tensor, width: int, length: int) -> tuple[Tensor, Tensor]:
    """The best of `width` sequences after `length` more tokens, and the sum of its log-probabilities."""
    beams: list[tuple[Tensor, Tensor | float]] = [(start, 0.0)]
    for _ in range(length):
        log_p = step(torch.stack([tokens for tokens, _ in beams]))
        candidates = [
            (tokens, token, total + one)
            for (tokens, total), row in zip(beams, log_p)
            for token, one in enumerate(row.unbind())
        ]
        candidates.sort(key=lambda candidate: float(candidate[2]), reverse=True)
        beams = [
            (torch.cat([tokens, tokens.new_tensor([token])]), total) for tokens, token, total in candidates[:width]
        ]
    return beams[0]


def speculate(target: Tensor, draft: Tensor, tokens: Tensor) -> Tensor:
    """The guessed tokens that are kept, and one more."""
    result: list[int] = []
    for i, token in enumerate(tokens.tolist()):
        if torch.rand(()).item() * draft[i, token].item() < target[i, token].item():
            result.append(token)
            continue
        excess = torch.relu(target[i] - draft[i])
        if excess.sum() == 0:
            excess = target[i]
        break
    else:
        excess = target[-1]
    result.append(int(torch.multinomial(excess / excess.sum(), 1)))
    return torch.tensor(result, dtype=tokens.dtype, device=tokens.device)
