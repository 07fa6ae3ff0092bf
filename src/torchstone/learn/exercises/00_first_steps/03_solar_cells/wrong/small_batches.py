# rejected by: every_step_is_taken: Each step takes all images at once
# steps with 32 images at a time; 'each time with all images at once' (more than 32 images: more steps, other
# losses)
"""Train a small model to find broken solar cells in photographs."""

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.optim import Optimizer


def train(model: nn.Module, optimizer: Optimizer, images: Tensor, labels: Tensor, epochs: int) -> list[float]:
    """Improve the model `epochs` times with all images; returns the loss of each step."""
    losses = []
    for epoch in range(epochs):
        total = 0.0
        for some, classes in zip(images.split(32), labels.split(32)):
            scores = model(some)
            loss = functional.cross_entropy(scores, classes)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(some)
        losses.append(total / len(images))
    return losses


def predict(model: nn.Module, images: Tensor) -> Tensor:
    """The class with the highest score, for each image."""
    return model(images).argmax(dim=1)
