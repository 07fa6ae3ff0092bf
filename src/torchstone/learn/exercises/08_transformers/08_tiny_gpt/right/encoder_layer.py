# earns: solved
# torch's own TransformerEncoderLayer with a causal mask, sums of −log2 p
"""A small GPT: predict the next character of a text."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(width, 4, 2 * width, dropout=0.0, batch_first=True, norm_first=True)

    def forward(self, x: Tensor) -> Tensor:
        n = x.shape[1]
        mask = torch.full((n, n), float("-inf"), device=x.device, dtype=x.dtype).triu(1)
        return self.layer(x, src_mask=mask, is_causal=True)


class TinyGPT(nn.Module):
    def __init__(self, vocabulary: int, context: int) -> None:
        super().__init__()
        self.context = context
        self.characters = nn.Embedding(vocabulary, 32)
        self.places = nn.Parameter(torch.randn(context, 32))
        self.block = Block(32)
        self.norm = nn.LayerNorm(32)
        self.head = nn.Linear(32, vocabulary)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.characters(tokens) + self.places[: tokens.shape[1]]
        return self.head(self.norm(self.block(x)))


def bits_per_character(model: nn.Module, text: Tensor, context: int) -> float:
    training = [module for module in model.modules() if module.training]
    model.eval()
    try:
        with torch.inference_mode():
            size = context + 1
            pieces = torch.stack([text[i : i + size] for i in range(0, len(text) - size + 1, size)])
            log2 = model(pieces[:, :-1]).log_softmax(-1) / math.log(2)
            return -log2.gather(2, pieces[:, 1:, None]).mean().item()
    finally:
        for module in training:
            module.training = True


def train(model: TinyGPT, text: Tensor, steps: int) -> None:
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.0)
    reach = torch.arange(model.context + 1, device=text.device)
    for _ in range(steps):
        starts = torch.randint(len(text) - model.context, (32, 1), device=text.device)
        pieces = text[starts + reach]
        loss = functional.cross_entropy(model(pieces[:, :-1]).flatten(0, 1), pieces[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
