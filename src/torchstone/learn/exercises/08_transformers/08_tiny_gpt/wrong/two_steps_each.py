# rejected by: it_learns: One step of the optimizer for each that was asked for.
# takes twice as many steps of the optimizer; '`train(model, text, steps)` takes `steps` steps on random pieces of the
# text.'
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
        self.characters = nn.Embedding(vocabulary, 64)
        self.positions = nn.Embedding(context, 64)
        self.blocks = nn.Sequential(Block(64, 4), Block(64, 4))
        self.norm = nn.LayerNorm(64)
        self.head = nn.Linear(64, vocabulary)

    def forward(self, tokens: Tensor) -> Tensor:
        """(batch, n) → (batch, n, vocabulary)."""
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.blocks(self.characters(tokens) + self.positions(places))
        return self.head(self.norm(x))


class Block(nn.Module):
    """Attention to what came before, then two layers for each position by itself; both add to their input."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.into, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.layers = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: Tensor) -> Tensor:
        """(batch, n, width) → (batch, n, width)."""
        parts = self.into(self.norm1(x)).chunk(3, dim=-1)
        query, key, value = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in parts)
        seen = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(seen.transpose(1, 2).flatten(2))
        return x + self.layers(self.norm2(x))


def bits_per_character(model: nn.Module, text: Tensor, context: int) -> float:
    """The mean of −log₂ p(next character) over the text, cut into pieces."""
    pieces = text[: len(text) // (context + 1) * (context + 1)].view(-1, context + 1)
    was = model.training
    model.eval()
    total = 0.0
    with torch.no_grad():
        for some in pieces.split(64):
            logits = model(some[:, :-1])
            total += functional.cross_entropy(logits.flatten(0, 1), some[:, 1:].flatten(), reduction="sum").item()
    model.train(was)
    return total / (len(pieces) * context) / math.log(2)


def train(model: TinyGPT, text: Tensor, steps: int) -> None:
    """Take `steps` steps on random pieces of the text."""
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    offsets = torch.arange(model.context + 1, device=text.device)
    for _ in range(2 * steps):
        starts = torch.randint(len(text) - model.context, (16, 1), device=text.device)
        pieces = text[starts + offsets]
        logits = model(pieces[:, :-1])
        loss = functional.cross_entropy(logits.flatten(0, 1), pieces[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
