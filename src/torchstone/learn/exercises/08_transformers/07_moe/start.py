"""Send each token to its best experts, and keep the experts evenly used."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def mixture(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int) -> Tensor:
    """The weighted sum of what each token's k best experts return."""
    # TODO: this asks every expert about every token
    weights = logits.softmax(-1)
    return sum(weights[:, i, None] * expert(x) for i, expert in enumerate(experts))


def balance_loss(logits: Tensor, k: int) -> Tensor:
    """E · Σ (share of choices) · (mean probability): 1 when all experts are used alike."""
    # TODO
    raise NotImplementedError("balance_loss")
