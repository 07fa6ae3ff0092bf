# rejected by: steps_are_right: The loss of each step
# the list holds the losses after each step, the first one (of the untrained model) is missing; 'the list of the
# losses, one for each step', of step 2's loss
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
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            losses.append(functional.cross_entropy(model(images), labels).item())
    return losses


def predict(model: nn.Module, images: Tensor) -> Tensor:
    """The class with the highest score, for each image."""
    return model(images).argmax(dim=1)
