# rejected by: steps_are_right: Each step: zero_grad(), then backward(), then step(). Without
# gradients are forgotten after the step, not before backward, so what was in .grad before training is used; 'forget
# the gradients of the step before', then 'compute new ones'
"""Train a small model to find broken solar cells in photographs."""

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.optim import Optimizer


def one_step(model: nn.Module, optimizer: Optimizer, images: Tensor, labels: Tensor) -> float:
    loss = functional.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return loss.item()


def train(model: nn.Module, optimizer: Optimizer, images: Tensor, labels: Tensor, epochs: int) -> list[float]:
    """Improve the model `epochs` times with all images; returns the loss of each step."""
    return [one_step(model, optimizer, images, labels) for _ in range(epochs)]


def predict(model: nn.Module, images: Tensor) -> Tensor:
    """The class with the highest score, for each image."""
    with torch.no_grad():
        scores = model(images)
        return scores.max(dim=1).indices
