# earns: solved
# a helper for one step, a list comprehension, topk instead of argmax
"""Train a small model to find broken solar cells in photographs."""

from torch import Tensor, nn
from torch.nn import functional
from torch.optim import Optimizer


def one_step(model: nn.Module, optimizer: Optimizer, images: Tensor, labels: Tensor) -> float:
    loss = -functional.log_softmax(model(images), dim=1).gather(1, labels[:, None]).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return float(loss.detach())


def train(model: nn.Module, optimizer: Optimizer, images: Tensor, labels: Tensor, epochs: int) -> list[float]:
    """Improve the model `epochs` times with all images; returns the loss of each step."""
    return [one_step(model, optimizer, images, labels) for _ in range(epochs)]


def predict(model: nn.Module, images: Tensor) -> Tensor:
    """The class with the highest score, for each image."""
    return model(images).topk(1, dim=1).indices[:, 0]
