"""A small GPT: predict the next character of a text."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional


class TinyGPT(nn.Module):
    """Characters and positions in, logits of the next character out."""

    def __init__(self, vocabulary: int, context: int) -> None:
        super().__init__()
        self.context = context
        # TODO: positions, blocks of attention and layers, a norm at the end
        self.characters = nn.Embedding(vocabulary, 32)
        self.head = nn.Linear(32, vocabulary)

    def forward(self, tokens: Tensor) -> Tensor:
        """(batch, n) → (batch, n, vocabulary)."""
        return self.head(self.characters(tokens))


class Block(nn.Module):
    """Attention to what came before, then two layers for each position by itself; both add to their input."""

    # TODO


def bits_per_character(model: nn.Module, text: Tensor, context: int) -> float:
    """The mean of −log₂ p(next character) over the text, cut into pieces."""
    # TODO
    raise NotImplementedError("bits_per_character")


def train(model: TinyGPT, text: Tensor, steps: int) -> None:
    """Take `steps` steps on random pieces of the text."""
    # TODO
    raise NotImplementedError("train")
