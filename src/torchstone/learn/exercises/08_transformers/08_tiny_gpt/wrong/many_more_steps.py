# rejected by: it_learns: One step of the optimizer for each that was asked for
# 'takes `steps` steps': ten steps for each that was asked for
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
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.project = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.layers = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.project(self.first(x)).chunk(3, -1)
        )
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).flatten(2))
        return x + self.layers(self.second(x))


class TinyGPT(nn.Module):
    def __init__(self, vocabulary: int, context: int) -> None:
        super().__init__()
        self.context = context
        self.characters = nn.Embedding(vocabulary, 32)
        self.positions = nn.Embedding(context, 32)
        self.blocks = nn.Sequential(Block(32, 2))
        self.norm = nn.LayerNorm(32)
        self.head = nn.Linear(32, vocabulary)

    def forward(self, tokens: Tensor) -> Tensor:
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.characters(tokens) + self.positions(places)
        return self.head(self.norm(self.blocks(x)))


def bits_per_character(model: nn.Module, text: Tensor, context: int) -> float:
    count = len(text) // (context + 1)
    pieces = text[: count * (context + 1)].view(count, context + 1)
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    with torch.no_grad():
        total = 0.0
        for part in pieces.split(64):
            logits = model(part[:, :-1])
            total += functional.cross_entropy(logits.flatten(0, 1), part[:, 1:].flatten(), reduction="sum").item()
    for module, mode in modes:
        module.training = mode
    return total / (count * context) / math.log(2)


def train(model: TinyGPT, text: Tensor, steps: int) -> None:
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.0)
    reach = torch.arange(model.context + 1, device=text.device)
    for _ in range(10 * steps):
        starts = torch.randint(len(text) - model.context, (32, 1), device=text.device)
        pieces = text[starts + reach]
        loss = functional.cross_entropy(model(pieces[:, :-1]).flatten(0, 1), pieces[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
