# earns: solved
# softmax by hand with a learned bias for each distance instead of position embeddings
"""A small GPT: predict the next character of a text."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional


class Block(nn.Module):
    """Attention to what came before, then two layers for each position by itself; both add to their input."""

    def __init__(self, width: int, heads: int, context: int) -> None:
        super().__init__()
        self.heads = heads
        self.before_attention = nn.LayerNorm(width)
        self.before_layers = nn.LayerNorm(width)
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.mix = nn.Linear(width, width)
        self.distance = nn.Parameter(torch.randn(heads, context))
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        batch, n, width = x.shape
        y = self.before_attention(x)
        q, k, v = (
            layer(y).view(batch, n, self.heads, -1).transpose(1, 2) for layer in (self.query, self.key, self.value)
        )
        apart = torch.arange(n, device=x.device)[:, None] - torch.arange(n, device=x.device)
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) + self.distance[:, apart.clamp(min=0)]
        weights = scores.masked_fill(apart < 0, float("-inf")).softmax(-1)
        x = x + self.mix((weights @ v).transpose(1, 2).reshape(batch, n, width))
        return x + self.down(functional.gelu(self.up(self.before_layers(x))))


class TinyGPT(nn.Module):
    def __init__(self, vocabulary: int, context: int) -> None:
        super().__init__()
        self.context = context
        self.characters = nn.Embedding(vocabulary, 32)
        self.block = Block(32, 4, context)
        self.norm = nn.LayerNorm(32)
        self.head = nn.Linear(32, vocabulary)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.norm(self.block(self.characters(tokens))))


@torch.no_grad()
def bits_per_character(model: nn.Module, text: Tensor, context: int) -> float:
    before = {name: module.training for name, module in model.named_modules()}
    model.eval()
    whole = len(text) // (context + 1) * (context + 1)
    pieces = text[:whole].reshape(-1, context + 1)
    surprise = []
    for piece in pieces:
        chances = model(piece[None, :-1])[0].double().log_softmax(-1)
        surprise.append(-chances.gather(1, piece[1:, None]))
    for name, module in model.named_modules():
        module.training = before[name]
    return float(torch.cat(surprise).mean()) / math.log(2)


def train(model: TinyGPT, text: Tensor, steps: int) -> None:
    model.train()
    optimizer = torch.optim.Adam(model.parameters(), lr=1.5e-2)
    windows = text.unfold(0, model.context + 1, 1)
    for _ in range(steps):
        batch = windows[torch.randint(len(windows), (32,), device=text.device)]
        optimizer.zero_grad()
        logits = model(batch[:, :-1])
        functional.cross_entropy(logits.transpose(1, 2), batch[:, 1:]).backward()
        optimizer.step()
