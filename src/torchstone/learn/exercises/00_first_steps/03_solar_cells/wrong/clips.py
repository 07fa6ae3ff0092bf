# rejected by: steep_steps_are_taken_whole: Each step: zero_grad(), then backward(), then step(). Without
# gradients are clipped before the step; 'each step is right'
"""Train a small model to find broken solar cells in photographs."""

from torch import Tensor, nn
from torch.nn import functional
from torch.optim import Optimizer


def train(model: nn.Module, optimizer: Optimizer, images: Tensor, labels: Tensor, epochs: int) -> list[float]:
    """Improve the model `epochs` times with all images; returns the loss of each step."""
    losses = []
    for _ in range(epochs):
        scores = model(images)
        loss = functional.cross_entropy(scores, labels)
        # backward() adds to the gradients that are there, so the old ones go first.
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 10.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


def predict(model: nn.Module, images: Tensor) -> Tensor:
    """The class with the highest score, for each image."""
    return model(images).argmax(dim=1)
