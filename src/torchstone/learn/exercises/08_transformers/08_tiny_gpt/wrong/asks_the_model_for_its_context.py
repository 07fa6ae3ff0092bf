# rejected by: bits_are_right: The argument says how long the pieces are
# 'pieces of context + 1 characters': they are as long as model.context says, where there is one
import math

import torch
from torch import Tensor, nn
from torch.nn import functional


class TinyGPT(nn.Module):
    def __init__(self, vocabulary: int, context: int) -> None:
        super().__init__()
        self.context = context
        self.embed = nn.Embedding(vocabulary, 40)
        self.shift = nn.Conv1d(40, 40, 10)
        self.norm = nn.LayerNorm(40)
        self.attention = nn.MultiheadAttention(40, 4, batch_first=True)
        self.mlp = nn.Sequential(nn.LayerNorm(40), nn.Linear(40, 80), nn.GELU(), nn.Linear(80, 40))
        self.head = nn.Sequential(nn.LayerNorm(40), nn.Linear(40, vocabulary))

    def forward(self, tokens: Tensor) -> Tensor:
        n = tokens.shape[1]
        x = self.embed(tokens)
        x = x + self.shift(functional.pad(x.mT, (9, 0))).mT
        mask = torch.full((n, n), float("-inf"), device=x.device).triu(1)
        y = self.norm(x)
        x = x + self.attention(y, y, y, attn_mask=mask, need_weights=False)[0]
        return self.head(x + self.mlp(x))


def bits_per_character(model: nn.Module, text: Tensor, context: int) -> float:
    mode = model.training
    model.eval()
    size = getattr(model, "context", context) + 1
    pieces = text[: len(text) // size * size].view(-1, size)
    total, count = 0.0, 0
    with torch.no_grad():
        for piece in pieces.split(100):
            logits = model(piece[:, :-1])
            total += functional.cross_entropy(logits.mT, piece[:, 1:], reduction="sum").item()
            count += piece[:, 1:].numel()
    model.train(mode)
    return total / count / math.log(2)


def train(model: TinyGPT, text: Tensor, steps: int) -> None:
    optimizer = torch.optim.Adam(model.parameters(), lr=6e-3)
    rows = text.unfold(0, model.context + 1, 1)
    for _ in range(steps):
        pick = rows[torch.randint(len(rows), (16,))]
        loss = functional.cross_entropy(model(pick[:, :-1]).mT, pick[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
