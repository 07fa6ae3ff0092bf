# earns: solved
# cross entropy in two parts, losses read at the end, topk
"""Train a small model to find broken solar cells in photographs."""

from torch import Tensor, nn
from torch.nn import functional
from torch.optim import Optimizer


def train(model: nn.Module, optimizer: Optimizer, images: Tensor, labels: Tensor, epochs: int) -> list[float]:
    """Improve the model `epochs` times with all images; returns the loss of each step."""
    kept: list[Tensor] = []
    while len(kept) < epochs:
        logs = functional.log_softmax(model(images), dim=-1)
        loss = functional.nll_loss(logs, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        kept.append(loss.detach())
    return [loss.item() for loss in kept]


def predict(model: nn.Module, images: Tensor) -> Tensor:
    """The class with the highest score, for each image."""
    _, places = model(images).detach().topk(1, dim=-1)
    return places.squeeze(-1)
