# rejected by: seeds_repeat_a_call: All dice are torch's
# "Random numbers come from torch's global generator": Python's random decides what is kept, so torch.manual_seed does
# not repeat a call
"""Choose the next tokens: top-p, beam search, speculative decoding."""

import random
from collections.abc import Callable

import torch
from torch import Tensor


def top_p(logits: Tensor, p: float) -> Tensor:
    values, order = logits.softmax(-1).sort(-1, descending=True)
    keep = values.cumsum(-1) - values < p
    keep[..., 0] = True
    values = torch.where(keep, values, 0)
    probabilities = torch.zeros_like(values).scatter(-1, order, values)
    return probabilities / probabilities.sum(-1, keepdim=True)


def beam_search(step: Callable[[Tensor], Tensor], start: Tensor, width: int, length: int) -> tuple[Tensor, Tensor]:
    beams, sums = start[None], None
    for _ in range(length):
        gains = step(beams)
        sums = gains if sums is None else sums[:, None] + gains
        sums, best = sums.flatten().topk(min(width, sums.numel()))
        vocabulary = gains.shape[1]
        beams = torch.cat([beams[best // vocabulary], (best % vocabulary)[:, None]], 1)
    if sums is None:
        return start, torch.zeros((), device=start.device)
    return beams[0], sums[0]


def speculate(target: Tensor, draft: Tensor, tokens: Tensor) -> Tensor:
    for i, token in enumerate(tokens):
        if random.random() * draft[i, token] >= target[i, token]:
            rest = (target[i] - draft[i]).clamp(min=0)
            return torch.cat([tokens[:i], torch.multinomial(rest / rest.sum(), 1)])
    return torch.cat([tokens, torch.multinomial(target[-1], 1)])
