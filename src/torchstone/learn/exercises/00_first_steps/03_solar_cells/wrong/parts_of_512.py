# rejected by: every_step_is_taken: Each step takes all images at once: one call of the model, one
# steps once for each 512 images; 'each time with all images at once'
"""Train a small model to find broken solar cells in photographs."""

from torch import Tensor, nn
from torch.nn import functional
from torch.optim import Optimizer


def train(model: nn.Module, optimizer: Optimizer, images: Tensor, labels: Tensor, epochs: int) -> list[float]:
    """Improve the model `epochs` times with all images; returns the loss of each step."""
    losses = []
    for epoch in range(epochs):
        total = 0.0
        for some_images, some_labels in zip(images.split(512), labels.split(512), strict=True):
            scores = model(some_images)
            loss = functional.cross_entropy(scores, some_labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(some_images)
        losses.append(total / len(images))
    return losses


def predict(model: nn.Module, images: Tensor) -> Tensor:
    """The class with the highest score, for each image."""
    scores = model(images)
    return scores.argmax(1)
