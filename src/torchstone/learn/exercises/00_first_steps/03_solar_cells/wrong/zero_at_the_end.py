# rejected by: steps_are_right: Each step
# gradients are forgotten after each step, not before the first; 'before the first step too: the model may bring
# some along' (model with .grad set)
"""Train a small model to find broken solar cells in photographs."""

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.optim import Optimizer


def train(model: nn.Module, optimizer: Optimizer, images: Tensor, labels: Tensor, epochs: int) -> list[float]:
    """Improve the model `epochs` times with all images; returns the loss of each step."""
    losses = []
    for epoch in range(epochs):
        scores = model(images)
        loss = functional.cross_entropy(scores, labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


def predict(model: nn.Module, images: Tensor) -> Tensor:
    """The class with the highest score, for each image."""
    return model(images).argmax(dim=1)
