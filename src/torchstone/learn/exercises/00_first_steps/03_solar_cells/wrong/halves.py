# rejected by: steps_are_right: Each step: zero_grad(), then backward(), then step(). Without
# two steps on half of the images each; 'each time with all images at once'
"""Train a small model to find broken solar cells in photographs."""

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.optim import Optimizer


def one_step(model: nn.Module, optimizer: Optimizer, images: Tensor, labels: Tensor) -> float:
    total = 0.0
    for some, theirs in zip(images.chunk(2), labels.chunk(2), strict=True):
        loss = functional.cross_entropy(model(some), theirs)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(some)
    return total / len(images)


def train(model: nn.Module, optimizer: Optimizer, images: Tensor, labels: Tensor, epochs: int) -> list[float]:
    """Improve the model `epochs` times with all images; returns the loss of each step."""
    return [one_step(model, optimizer, images, labels) for _ in range(epochs)]


def predict(model: nn.Module, images: Tensor) -> Tensor:
    """The class with the highest score, for each image."""
    with torch.no_grad():
        scores = model(images)
        return scores.max(dim=1).indices
