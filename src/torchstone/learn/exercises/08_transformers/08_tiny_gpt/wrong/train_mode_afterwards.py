# rejected by: bits_are_right: Train or eval is the caller's choice
# the model is in train mode afterwards, whatever it was in; breaks 'is afterwards in the mode in which it came' for
# a model in eval mode
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
        self.project = nn.Linear(width, 3 * width)
        self.distance = nn.Parameter(torch.randn(heads, context) * 0.5)
        self.out = nn.Linear(width, width)
        self.layers = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.ReLU(), nn.Linear(4 * width, width)
        )

    def attend(self, x: Tensor) -> Tensor:
        n = x.shape[1]
        query, key, value = self.project(x).unflatten(2, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        places = torch.arange(n, device=x.device)
        back = places[:, None] - places
        bias = self.distance[:, back.clamp(min=0)].masked_fill(back < 0, float("-inf"))
        scores = query @ key.mT / math.sqrt(query.shape[-1]) + bias
        return self.out((scores.softmax(-1) @ value).transpose(1, 2).flatten(2))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attend(self.before_attention(x))
        return x + self.layers(x)


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
    mode = model.training
    model.eval()
    size = context + 1
    bits = []
    for start in range(0, len(text) - size + 1, size):
        piece = text[start : start + size][None]
        log_p = model(piece[:, :-1]).log_softmax(-1)
        bits.append(-log_p.gather(2, piece[:, 1:, None]).flatten() / math.log(2))
    model.train()
    return torch.cat(bits).mean().item()


def train(model: TinyGPT, text: Tensor, steps: int) -> None:
    """Take `steps` steps on random pieces of the text."""
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    offsets = torch.arange(model.context + 1, device=text.device)
    model.train()
    for _ in range(steps):
        starts = torch.randint(len(text) - model.context, (16, 1), device=text.device)
        pieces = text[starts + offsets]
        logits = model(pieces[:, :-1])
        loss = functional.cross_entropy(logits.transpose(1, 2), pieces[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
