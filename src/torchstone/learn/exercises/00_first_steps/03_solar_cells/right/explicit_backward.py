# earns: solved
# torch.autograd.backward, topk for the class
"""Train a small model to find broken solar cells in photographs."""

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.optim import Optimizer


def train(model: nn.Module, optimizer: Optimizer, images: Tensor, labels: Tensor, epochs: int) -> list[float]:
    """Improve the model `epochs` times with all images; returns the loss of each step."""

    def one_step() -> float:
        loss = functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        torch.autograd.backward([loss])
        optimizer.step()
        return float(loss.detach())

    return [one_step() for _ in range(epochs)]


def predict(model: nn.Module, images: Tensor) -> Tensor:
    """The class with the highest score, for each image."""
    with torch.no_grad():
        return model(images).topk(1, dim=1).indices[:, 0]
