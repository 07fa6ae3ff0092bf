"""Two small models for rounds of a few seconds, where a zoo model's call takes too long to be made a thousand times.

One is made of convolutions, one of attention, because devices keep their caches and leaks in different places. The
sizes are such that a call takes about a millisecond on one core and still below a tenth of a second on a software GPU.
"""

import torch
from torch import Tensor, nn

from torchstone.data.seeding import generator, seeded
from torchstone.models.inputs import Inputs
from torchstone.models.target import Target

CHANNELS = 16
SIDE = 16
CLASSES = 10
WIDTH = 32
HEADS = 4
LENGTH = 16


def load_convnet(seed: int = 0, batch: int = 1, side: int = SIDE) -> Target:
    """Two convolutions with batch norm and a classifier, for images of any side."""
    with seeded(seed):
        model = _convnet()
    images = torch.randn(batch, 3, side, side, generator=generator(seed))
    return Target("convnet", model.eval(), Inputs((images,), {}), "random")


def load_transformer(seed: int = 0, batch: int = 1, length: int = LENGTH) -> Target:
    """One layer of attention with its feed-forward part, for sequences of any length."""
    with seeded(seed):
        model = Attention()
    return Target("transformer", model.eval(), transformer_inputs(batch, length, seed), "random")


def transformer_inputs(batch: int, length: int, seed: int = 0) -> Inputs:
    """Vectors in place of tokens: what is looked up in a table beforehand does not matter here."""
    return Inputs((torch.randn(batch, length, WIDTH, generator=generator(seed)),), {})


def _convnet() -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(3, CHANNELS, 3, padding=1),
        nn.BatchNorm2d(CHANNELS),
        nn.ReLU(),
        nn.Conv2d(CHANNELS, 2 * CHANNELS, 3, stride=2, padding=1),
        nn.BatchNorm2d(2 * CHANNELS),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(2 * CHANNELS, CLASSES),
    )


class Attention(nn.Module):
    """A pre-norm transformer layer in plain operators, so that every device runs the same ones.

    `nn.TransformerEncoderLayer` takes a fused path where it has one, and then the training step is another program.
    """

    def __init__(self) -> None:
        super().__init__()
        self.first_norm = nn.LayerNorm(WIDTH)
        self.project_in = nn.Linear(WIDTH, 3 * WIDTH)
        self.project_out = nn.Linear(WIDTH, WIDTH)
        self.second_norm = nn.LayerNorm(WIDTH)
        self.feed_forward = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.ReLU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, sequence: Tensor) -> Tensor:
        attended = sequence + self._attend(self.first_norm(sequence))
        result: Tensor = attended + self.feed_forward(self.second_norm(attended))
        return result

    def _attend(self, sequence: Tensor) -> Tensor:
        batch, length, _ = sequence.shape
        parts = self.project_in(sequence).reshape(batch, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        query, key, value = parts[0], parts[1], parts[2]
        weights = (query @ key.transpose(-2, -1) * (WIDTH // HEADS) ** -0.5).softmax(dim=-1)
        mixed = (weights @ value).transpose(1, 2).reshape(batch, length, WIDTH)
        result: Tensor = self.project_out(mixed)
        return result
