# rejected by: bits_are_right: Train or eval is the caller
# the model is in training mode afterwards, also if it came in eval mode; promised: "is afterwards in the mode in
# which it came"
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
        self.norm1 = nn.LayerNorm(width)
        self.to_all = nn.Linear(width, 3 * width, bias=False)
        self.distance = nn.Parameter(torch.zeros(heads, context))
        self.back = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.layers = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: Tensor) -> Tensor:
        n, width = x.shape[1:]
        query, key, value = self.to_all(self.norm1(x)).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        places = torch.arange(n, device=x.device)
        apart = places[:, None] - places[None, :]
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1]) + self.distance[:, apart.clamp(min=0)]
        weights = scores.masked_fill(apart < 0, -math.inf).softmax(-1)
        x = x + self.back((weights @ value).transpose(1, 2).flatten(2))
        return x + self.layers(self.norm2(x))


class TinyGPT(nn.Module):
    """Characters in, logits of the next character out."""

    def __init__(self, vocabulary: int, context: int) -> None:
        super().__init__()
        self.context = context
        self.characters = nn.Embedding(vocabulary, 32)
        self.block = Block(32, 4, context)
        self.norm = nn.LayerNorm(32)
        self.head = nn.Linear(32, vocabulary)

    def forward(self, tokens: Tensor) -> Tensor:
        """(batch, n) → (batch, n, vocabulary)."""
        return self.head(self.norm(self.block(self.characters(tokens))))


@torch.no_grad()
def bits_per_character(model: nn.Module, text: Tensor, context: int) -> float:
    """The mean of −log₂ p(next character) over the text, cut into pieces."""
    modes = {module: module.training for module in model.modules()}
    model.eval()
    try:
        size = context + 1
        pieces = text[: len(text) // size * size].view(-1, size)
        nats, count = 0.0, 0
        for part in pieces.split(64):
            logits = model(part[:, :-1])
            nats += functional.cross_entropy(logits.flatten(0, 1), part[:, 1:].flatten(), reduction="sum").item()
            count += part[:, 1:].numel()
    finally:
        model.train()
    return nats / count / math.log(2)


def train(model: TinyGPT, text: Tensor, steps: int) -> None:
    """Take `steps` steps on random pieces of the text."""
    model.train()
    pieces = text.unfold(0, model.context + 1, 1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(steps):
        batch = pieces[torch.randint(len(pieces), (16,), device=text.device)]
        loss = functional.cross_entropy(model(batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
