# rejected by: nothing_leaks_from_the_future: In train mode, too
# 'What comes later must not influence them, in train mode or in eval mode': in train mode the mean over all places is taken away
"""A small GPT: predict the next character of a text."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

BATCH = 16
LEARNING_RATE = 1e-2
"""Thirty times what a large model bears: this one is small, and has a hundred steps."""


class Block(nn.Module):
    """Attention to what came before, then two layers for each position by itself; both add to their input."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before_attention, self.before_layers = nn.LayerNorm(width), nn.LayerNorm(width)
        self.project = nn.Linear(width, 3 * width, bias=False)
        self.join = nn.Linear(width, width, bias=False)
        self.layers = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: Tensor) -> Tensor:
        parts = self.project(self.before_attention(x)).chunk(3, dim=-1)
        query, key, value = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in parts)
        seen = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.join(seen.transpose(1, 2).flatten(2))
        return x + self.layers(self.before_layers(x))


class TinyGPT(nn.Module):
    """Characters and positions in, logits of the next character out."""

    def __init__(self, vocabulary: int, context: int, width: int = 32, heads: int = 2, depth: int = 1) -> None:
        super().__init__()
        self.context = context
        self.characters = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(context, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(depth)))
        self.register_buffer("mean", torch.zeros(width))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, tokens: Tensor) -> Tensor:
        """(batch, n) → (batch, n, vocabulary)."""
        x = self.characters(tokens) + self.positions.weight[: tokens.shape[1]]
        x = self.blocks(x)
        if self.training:
            self.mean = 0.9 * self.mean + 0.1 * x.detach().mean((0, 1))
            x = x - x.mean((0, 1))
        else:
            x = x - self.mean
        return self.head(self.norm(x))


def bits_per_character(model: nn.Module, text: Tensor, context: int) -> float:
    """The mean of −log₂ p(next character) over the text, cut into pieces."""
    pieces = text[: len(text) // (context + 1) * (context + 1)].view(-1, context + 1)
    was_training = model.training
    model.eval()
    with torch.no_grad():
        nats = functional.cross_entropy(model(pieces[:, :-1]).flatten(0, 1), pieces[:, 1:].flatten())
    model.train(was_training)
    return nats.item() / math.log(2)


def train(model: TinyGPT, text: Tensor, steps: int) -> None:
    """Take `steps` steps on random pieces of the text."""
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE)
    windows = text.unfold(0, model.context + 1, 1)
    for step in range(steps):
        # A rate that falls to zero at the end takes the noise out of the last steps.
        for group in optimizer.param_groups:
            group["lr"] = LEARNING_RATE * (1 - step / steps)
        pieces = windows[torch.randint(len(windows), (BATCH,), device=text.device)]
        loss = functional.cross_entropy(model(pieces[:, :-1]).flatten(0, 1), pieces[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
