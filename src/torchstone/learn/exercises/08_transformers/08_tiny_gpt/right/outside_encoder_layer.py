# earns: solved
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
        self.positions = nn.Parameter(torch.randn(context, 64))
        self.block = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True, norm_first=True)
        self.norm = nn.LayerNorm(64)
        self.head = nn.Linear(64, vocabulary)

    def forward(self, tokens: Tensor) -> Tensor:
        """(batch, n) → (batch, n, vocabulary)."""
        n = tokens.shape[1]
        later = torch.ones(n, n, dtype=torch.bool, device=tokens.device).triu(1)
        x = self.characters(tokens) + self.positions[:n]
        return self.head(self.norm(self.block(x, src_mask=later)))


def bits_per_character(model: nn.Module, text: Tensor, context: int) -> float:
    """The mean of −log₂ p(next character) over the text, cut into pieces."""
    mode = model.training
    model.eval()
    try:
        total, count = 0.0, 0
        with torch.inference_mode():
            for start in range(0, len(text) - context, context + 1):
                piece = text[start : start + context + 1]
                chances = model(piece[:-1].unsqueeze(0))[0].double().log_softmax(-1)
                total -= chances.gather(1, piece[1:, None]).sum().item()
                count += context
        return total / count / math.log(2)
    finally:
        model.train(mode)


def train(model: TinyGPT, text: Tensor, steps: int) -> None:
    """Take `steps` steps on random pieces of the text."""
    optimizer = torch.optim.Adam(model.parameters(), lr=8e-3, betas=(0.9, 0.98))
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 8e-3, total_steps=steps + 1)
    for _ in range(steps):
        begins = torch.randint(0, len(text) - model.context, (24,)).tolist()
        pieces = torch.stack([text[begin : begin + model.context + 1] for begin in begins])
        scores = model(pieces[:, :-1])
        loss = functional.cross_entropy(scores.transpose(1, 2), pieces[:, 1:])
        model.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
