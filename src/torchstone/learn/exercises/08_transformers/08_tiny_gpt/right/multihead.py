# earns: solved
# nn.MultiheadAttention with a mask, bits piece by piece, windows by unfold
"""A small GPT: predict the next character of a text."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional


class Block(nn.Module):
    """Attention to what came before, then two layers for each position by itself; both add to their input."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.before_attention = nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, 4, batch_first=True)
        self.rest = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, 3 * width), nn.SiLU(), nn.Linear(3 * width, width)
        )

    def forward(self, x: Tensor) -> Tensor:
        n = x.shape[1]
        future = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        normed = self.before_attention(x)
        x = x + self.attention(normed, normed, normed, attn_mask=future, need_weights=False)[0]
        return x + self.rest(x)


class TinyGPT(nn.Module):
    """Characters and positions in, logits of the next character out."""

    def __init__(self, vocabulary: int, context: int) -> None:
        super().__init__()
        self.context = context
        self.characters = nn.Embedding(vocabulary, 48)
        self.places = nn.Parameter(torch.randn(context, 48) * 0.5)
        self.body = nn.ModuleList([Block(48), Block(48)])
        self.head = nn.Sequential(nn.LayerNorm(48), nn.Linear(48, vocabulary))

    def forward(self, tokens: Tensor) -> Tensor:
        """(batch, n) → (batch, n, vocabulary)."""
        x = self.characters(tokens) + self.places[: tokens.shape[1]]
        for block in self.body:
            x = block(x)
        return self.head(x)


def bits_per_character(model: nn.Module, text: Tensor, context: int) -> float:
    """The mean of −log₂ p(next character) over the text, cut into pieces."""
    before = {module: module.training for module in model.modules()}
    model.eval()
    bits, count = 0.0, 0
    try:
        with torch.no_grad():
            for piece in text.unfold(0, context + 1, context + 1):
                log_p = model(piece[None, :-1])[0].double().log_softmax(1)
                bits -= float(log_p.gather(1, piece[1:, None]).sum()) / math.log(2.0)
                count += context
    finally:
        for module, mode in before.items():
            module.training = mode
    return bits / count


def train(model: TinyGPT, text: Tensor, steps: int) -> None:
    """Take `steps` steps on random pieces of the text."""
    model.train()
    windows = text.unfold(0, model.context + 1, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    for _ in range(steps):
        pieces = windows[torch.randint(len(windows), (32,), device=text.device)]
        optimizer.zero_grad()
        logits = model(pieces[:, :-1])
        functional.cross_entropy(logits.transpose(1, 2), pieces[:, 1:]).backward()
        optimizer.step()
