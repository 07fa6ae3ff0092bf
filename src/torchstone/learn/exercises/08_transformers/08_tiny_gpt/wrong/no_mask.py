# rejected by: nothing_leaks_from_the_future: What sees the next character need not predict
# the attention is not causal, so later characters influence the logits
"""A small GPT: predict the next character of a text."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional


class Block(nn.Module):
    """Attention to what came before, then two layers for each position by itself; both add to their input."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.project = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.layers = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.project(self.norm1(x)).chunk(3, -1)
        )
        seen = functional.scaled_dot_product_attention(query, key, value)
        x = x + self.out(seen.transpose(1, 2).flatten(2))
        return x + self.layers(self.norm2(x))


class TinyGPT(nn.Module):
    """Characters and positions in, logits of the next character out."""

    def __init__(self, vocabulary: int, context: int) -> None:
        super().__init__()
        self.context = context
        self.characters = nn.Embedding(vocabulary, 32)
        self.positions = nn.Embedding(context, 32)
        self.block = Block(32, 4)
        self.norm = nn.LayerNorm(32)
        self.head = nn.Linear(32, vocabulary)

    def forward(self, tokens: Tensor) -> Tensor:
        """(batch, n) → (batch, n, vocabulary)."""
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.characters(tokens) + self.positions(places)
        x = self.block(x)
        return self.head(self.norm(x))


def bits_per_character(model: nn.Module, text: Tensor, context: int) -> float:
    """The mean of −log₂ p(next character) over the text, cut into pieces."""
    count = len(text) // (context + 1)
    pieces = text[: count * (context + 1)].view(count, context + 1)
    mode = model.training
    model.eval()
    total = 0.0
    try:
        with torch.no_grad():
            for some in pieces.split(64):
                logits = model(some[:, :-1])
                total += functional.cross_entropy(logits.flatten(0, 1), some[:, 1:].flatten(), reduction="sum").item()
    finally:
        model.train(mode)
    return total / (count * context) / math.log(2)


def train(model: TinyGPT, text: Tensor, steps: int) -> None:
    """Take `steps` steps on random pieces of the text."""
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    within = torch.arange(model.context + 1, device=text.device)
    for _ in range(steps):
        starts = torch.randint(len(text) - model.context, (32, 1), device=text.device)
        pieces = text[starts + within]
        loss = functional.cross_entropy(model(pieces[:, :-1]).flatten(0, 1), pieces[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
