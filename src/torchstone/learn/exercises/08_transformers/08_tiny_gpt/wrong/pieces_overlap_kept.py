# rejected by: bits_are_right: p of each piece's next characters, in eval
# the pieces share a character (one begins with the last of the one before), so other characters are predicted
"""A small GPT: predict the next character of a text."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional


WIDTH, HEADS, LAYERS = 48, 4, 2


class Block(nn.Module):
    """Attention to what came before, then two layers for each position by itself; both add to their input."""

    def __init__(self, context: int) -> None:
        super().__init__()
        self.query = nn.Linear(WIDTH, WIDTH, bias=False)
        self.key = nn.Linear(WIDTH, WIDTH, bias=False)
        self.value = nn.Linear(WIDTH, WIDTH, bias=False)
        self.distance = nn.Parameter(torch.zeros(HEADS, context))  # how much a head likes each distance
        self.wide, self.narrow = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)
        self.first, self.second = nn.RMSNorm(WIDTH), nn.RMSNorm(WIDTH)

    def attention(self, x: Tensor) -> Tensor:
        b, n, _ = x.shape
        query, key, value = (layer(x).view(b, n, HEADS, -1) for layer in (self.query, self.key, self.value))
        scores = torch.einsum("bqhd,bkhd->bhqk", query, key) / (WIDTH // HEADS) ** 0.5
        places = torch.arange(n, device=x.device)
        back = places[:, None] - places
        scores = scores + self.distance[:, back.clamp(min=0)]
        weights = scores.masked_fill(back < 0, -torch.inf).softmax(-1)
        return torch.einsum("bhqk,bkhd->bqhd", weights, value).flatten(2)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.first(x))
        return x + self.narrow(functional.silu(self.wide(self.second(x))))


class TinyGPT(nn.Module):
    """Characters and positions in, logits of the next character out."""

    def __init__(self, vocabulary: int, context: int) -> None:
        super().__init__()
        self.context = context
        self.characters = nn.Embedding(vocabulary, WIDTH)
        self.blocks = nn.ModuleList(Block(context) for _ in range(LAYERS))
        self.norm = nn.RMSNorm(WIDTH)
        self.head = nn.Linear(WIDTH, vocabulary)

    def forward(self, tokens: Tensor) -> Tensor:
        """(batch, n) → (batch, n, vocabulary)."""
        x = self.characters(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


@torch.no_grad()
def bits_per_character(model: nn.Module, text: Tensor, context: int) -> float:
    """The mean of −log₂ p(next character) over the text, cut into pieces."""
    came_training = model.training
    model.train(False)
    bits, predicted = 0.0, 0
    for piece in text.unfold(0, context + 1, context).split(16):
        nats = -model(piece[:, :-1]).log_softmax(-1).gather(-1, piece[:, 1:, None])
        bits += float(nats.double().sum()) / math.log(2)
        predicted += nats.numel()
    model.train(came_training)
    return bits / predicted


def train(model: TinyGPT, text: Tensor, steps: int) -> None:
    """Take `steps` steps on random pieces of the text."""
    pieces = text.unfold(0, model.context + 1, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=6e-3, betas=(0.9, 0.98))
    model.train()
    for step in range(steps):
        for settings in optimizer.param_groups:
            settings["lr"] = 6e-3 * min(1.0, (step + 1) / 10)
        batch = pieces[torch.randint(len(pieces), (24,), device=text.device)]
        optimizer.zero_grad()
        functional.cross_entropy(model(batch[:, :-1]).mT, batch[:, 1:]).backward()
        optimizer.step()
