# earns: solved
# nn.MultiheadAttention with a causal mask, learned positions, OneCycle
"""A small GPT: predict the next character of a text."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional


class Block(nn.Module):
    """Attention to what came before, then two layers for each position by itself; both add to their input."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.layers = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: Tensor) -> Tensor:
        n = x.shape[1]
        future = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        y = self.norm1(x)
        x = x + self.attention(y, y, y, attn_mask=future, need_weights=False)[0]
        return x + self.layers(self.norm2(x))


class TinyGPT(nn.Module):
    """Characters and positions in, logits of the next character out."""

    def __init__(self, vocabulary: int, context: int) -> None:
        super().__init__()
        self.context = context
        self.characters = nn.Embedding(vocabulary, 32)
        self.positions = nn.Embedding(context, 32)
        self.blocks = nn.Sequential(Block(32, 4))
        self.norm = nn.LayerNorm(32)
        self.head = nn.Linear(32, vocabulary)

    def forward(self, tokens: Tensor) -> Tensor:
        """(batch, n) → (batch, n, vocabulary)."""
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.characters(tokens) + self.positions(places)
        return self.head(self.norm(self.blocks(x)))


def bits_per_character(model: nn.Module, text: Tensor, context: int) -> float:
    """The mean of −log₂ p(next character) over the text, cut into pieces."""
    count = len(text) // (context + 1)
    pieces = text[: count * (context + 1)].view(count, context + 1)
    was = model.training
    model.eval()
    total = 0.0
    try:
        with torch.no_grad():
            for some in pieces.split(64):
                logits = model(some[:, :-1])
                total += functional.cross_entropy(logits.transpose(1, 2), some[:, 1:], reduction="sum").item()
    finally:
        model.train(was)
    return total / (count * context) / math.log(2)


def train(model: TinyGPT, text: Tensor, steps: int) -> None:
    """Take `steps` steps on random pieces of the text."""
    if steps < 1:
        return
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), 5e-3, weight_decay=0.01)
    pieces = text.unfold(0, model.context + 1, 1)
    for i in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = 1e-2 * min(1.0, (i + 1) / 10) * min(1.0, (steps - i) / (0.3 * steps))
        some = pieces[torch.randint(len(pieces), (16,), device=text.device)]
        loss = functional.cross_entropy(model(some[:, :-1]).flatten(0, 1), some[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
