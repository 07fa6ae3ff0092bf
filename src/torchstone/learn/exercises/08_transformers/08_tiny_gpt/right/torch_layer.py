# earns: solved
# torch's encoder layer with a causal mask as the block, positions added, bits by log2 of probabilities gathered
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
        self.block = Block(32)
        self.head = nn.Linear(32, vocabulary)
        nn.init.normal_(self.positions.weight, std=0.5)

    def forward(self, tokens: Tensor) -> Tensor:
        """(batch, n) → (batch, n, vocabulary)."""
        where = torch.arange(tokens.size(1), device=tokens.device)
        return self.head(self.block(self.characters(tokens) + self.positions(where)))


class Block(nn.Module):
    """Attention to what came before, then two layers for each position by itself; both add to their input."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(width, 2, 4 * width, dropout=0.0, batch_first=True, norm_first=True)
            for _ in range(1)
        )

    def forward(self, x: Tensor) -> Tensor:
        future = torch.ones(x.size(1), x.size(1), dtype=torch.bool, device=x.device).triu(1)
        for layer in self.layers:
            x = layer(x, src_mask=future)
        return x


def bits_per_character(model: nn.Module, text: Tensor, context: int) -> float:
    """The mean of −log₂ p(next character) over the text, cut into pieces."""
    count = len(text) // (context + 1)
    pieces = text[: count * (context + 1)].view(count, context + 1)
    training = model.training
    model.eval()
    try:
        with torch.no_grad():
            log_p = model(pieces[:, :-1]).log_softmax(dim=-1)
    finally:
        model.train(training)
    chosen = log_p.gather(2, pieces[:, 1:].unsqueeze(2))
    return float(-chosen.double().mean() / math.log(2.0))


def train(model: TinyGPT, text: Tensor, steps: int) -> None:
    """Take `steps` steps on random pieces of the text."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    window = torch.arange(model.context + 1, device=text.device)
    model.train()
    for _ in range(steps):
        starts = torch.randint(len(text) - model.context, (24, 1), device=text.device)
        pieces = text[starts + window]
        loss = functional.cross_entropy(model(pieces[:, :-1]).flatten(0, 1), pieces[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
