# earns: solved
# attention by hand with a learned bias for each distance, no positions; modes kept module by module
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
        self.blocks = nn.ModuleList(Block(64, 4, context) for _ in range(2))
        self.norm = nn.RMSNorm(64)
        self.head = nn.Linear(64, vocabulary)

    def forward(self, tokens: Tensor) -> Tensor:
        """(batch, n) → (batch, n, vocabulary)."""
        x = self.characters(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class Block(nn.Module):
    """Attention to what came before, then two layers for each position by itself; both add to their input."""

    def __init__(self, width: int, heads: int, context: int) -> None:
        super().__init__()
        self.heads = heads
        self.bias = nn.Parameter(torch.randn(heads, context))
        self.norms = nn.ModuleList([nn.RMSNorm(width), nn.RMSNorm(width)])
        self.into = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        """(batch, n, width) → (batch, n, width)."""
        batch, n, width = x.shape
        split = self.into(self.norms[0](x)).view(batch, n, 3, self.heads, width // self.heads)
        query, key, value = split.unbind(2)
        scores = torch.einsum("bqhe,bkhe->bhqk", query, key) / math.sqrt(width // self.heads)
        places = torch.arange(n, device=x.device)
        distance = places[:, None] - places
        scores = scores + self.bias[:, distance.clamp(min=0)]
        weights = scores.masked_fill(distance < 0, -math.inf).softmax(-1)
        seen = torch.einsum("bhqk,bkhe->bqhe", weights, value).reshape(batch, n, width)
        x = x + self.out(seen)
        return x + self.down(functional.silu(self.up(self.norms[1](x))))


@torch.no_grad()
def bits_per_character(model: nn.Module, text: Tensor, context: int) -> float:
    """The mean of −log₂ p(next character) over the text, cut into pieces."""
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    bits = []
    for piece in text.unfold(0, context + 1, context + 1):
        log_p = model(piece[None, :-1])[0].double().log_softmax(-1)
        bits.append(-log_p.gather(1, piece[1:, None]) / math.log(2))
    for module, training in modes:
        module.training = training
    return torch.cat(bits).mean().item()


def train(model: TinyGPT, text: Tensor, steps: int) -> None:
    """Take `steps` steps on random pieces of the text."""
    model.train()
    pieces = text.unfold(0, model.context + 1, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(steps):
        some = pieces[torch.randint(len(pieces), (16,), device=text.device)]
        loss = functional.cross_entropy(model(some[:, :-1]).transpose(1, 2), some[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
