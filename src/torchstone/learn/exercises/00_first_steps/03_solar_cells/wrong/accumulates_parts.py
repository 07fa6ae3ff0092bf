# rejected by: every_step_is_taken: Each step takes all images at once: one call of the model, one
# the model gets 64 images at a time; 'each time with all images at once'
"""Train a small model to find broken solar cells in photographs."""

from torch import Tensor, nn
from torch.nn import functional
from torch.optim import Optimizer


def train(model: nn.Module, optimizer: Optimizer, images: Tensor, labels: Tensor, epochs: int) -> list[float]:
    """Improve the model `epochs` times with all images; returns the loss of each step."""
    losses = []
    for _ in range(epochs):
        import torch

        scores = torch.cat([model(part) for part in images.split(64)])
        loss = functional.cross_entropy(scores, labels)
        # backward() adds to the gradients that are there, so the old ones go first.
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def predict(model: nn.Module, images: Tensor) -> Tensor:
    """The class with the highest score, for each image."""
    return model(images).argmax(dim=1)
