# earns: solved
# a helper for one step, the cross-entropy by hand from log_softmax, a list comprehension, and max
"""Train a small model to find broken solar cells in photographs."""

from torch import Tensor, nn
from torch.nn import functional
from torch.optim import Optimizer


def one_step(model: nn.Module, optimizer: Optimizer, images: Tensor, labels: Tensor) -> float:
    loss = functional.nll_loss(model(images).log_softmax(dim=1), labels)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    return loss.item()


def train(model: nn.Module, optimizer: Optimizer, images: Tensor, labels: Tensor, epochs: int) -> list[float]:
    """Improve the model `epochs` times with all images; returns the loss of each step."""
    return [one_step(model, optimizer, images, labels) for _ in range(epochs)]


def predict(model: nn.Module, images: Tensor) -> Tensor:
    """The class with the highest score, for each image."""
    _, classes = model(images).detach().max(dim=1)
    return classes
