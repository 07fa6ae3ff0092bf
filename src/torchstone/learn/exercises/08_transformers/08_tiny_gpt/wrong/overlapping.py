# rejected by: bits_are_right: The mean of −log₂ p of each piece's next characters
# "Cut the text `(length,)` into pieces of context + 1 characters (a rest is left out)": pieces overlap by one
# character
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
        self.characters = nn.Embedding(vocabulary, 32)
        self.positions = nn.Embedding(context, 32)
        self.block = Block(32, 4, context)
        self.norm = nn.LayerNorm(32)
        self.head = nn.Linear(32, vocabulary)

    def forward(self, tokens: Tensor) -> Tensor:
        """(batch, n) → (batch, n, vocabulary)."""
        x = self.characters(tokens) + self.positions.weight[: tokens.shape[1]]
        return self.head(self.norm(self.block(x)))


class Block(nn.Module):
    """Attention to what came before, then two layers for each position by itself; both add to their input."""

    def __init__(self, width: int, heads: int, context: int) -> None:
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.project, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.layers = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.distance = nn.Parameter(torch.zeros(heads, context))

    def forward(self, x: Tensor) -> Tensor:
        n = x.shape[1]
        query, key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.project(self.first(x)).chunk(3, -1)
        )
        places = torch.arange(n, device=x.device)
        back = places[:, None] - places
        bias = self.distance[:, back.clamp(min=0)].masked_fill(back < 0, float("-inf"))
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias)
        x = x + self.out(mixed.transpose(1, 2).flatten(2))
        return x + self.layers(self.second(x))


def bits_per_character(model: nn.Module, text: Tensor, context: int) -> float:
    """The mean of −log₂ p(next character) over the text, cut into pieces."""
    pieces = text.unfold(0, context + 1, context)
    training = model.training
    model.eval()
    try:
        with torch.no_grad():
            logits = model(pieces[:, :-1])
    finally:
        model.train(training)
    nats = functional.cross_entropy(logits.flatten(0, 1), pieces[:, 1:].flatten())
    return nats.item() / math.log(2)


def train(model: TinyGPT, text: Tensor, steps: int) -> None:
    """Take `steps` steps on random pieces of the text."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    window = torch.arange(model.context + 1, device=text.device)
    model.train()
    for _ in range(steps):
        starts = torch.randint(len(text) - model.context, (16, 1), device=text.device)
        pieces = text[starts + window]
        loss = functional.cross_entropy(model(pieces[:, :-1]).flatten(0, 1), pieces[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
