# rejected by: predictions_are_right: One whole number for each image: the column
# predict compares the classes 0 and 1 alone, and never finds a third one
from torch import Tensor, nn
from torch.nn import functional
from torch.optim import Optimizer


def train(model: nn.Module, optimizer: Optimizer, images: Tensor, labels: Tensor, epochs: int) -> list[float]:
    losses = []
    for _ in range(epochs):
        scores = model(images)
        loss = functional.cross_entropy(scores, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def predict(model: nn.Module, images: Tensor) -> Tensor:
    scores = model(images)
    return (scores[:, 1] > scores[:, 0]).long()
