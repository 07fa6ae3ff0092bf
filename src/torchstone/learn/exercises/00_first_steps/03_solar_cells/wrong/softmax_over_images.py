# rejected by: predictions_are_right: One whole number for each image
# softmax over the images before argmax changes which class wins (scores [[3, 2], [9, 2]]: the first image becomes
# class 1); 'the class with the highest score'
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
        losses.append(loss.item())
    return losses


def predict(model: nn.Module, images: Tensor) -> Tensor:
    """The class with the highest score, for each image."""
    chances = functional.softmax(model(images), dim=0)
    return chances.argmax(dim=1)
