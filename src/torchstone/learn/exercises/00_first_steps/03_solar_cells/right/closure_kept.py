# earns: solved
# the five parts in a closure that is handed to the optimizer
from torch import Tensor, nn, no_grad
from torch.nn import functional
from torch.optim import Optimizer


def train(model: nn.Module, optimizer: Optimizer, images: Tensor, labels: Tensor, epochs: int) -> list[float]:
    def closure() -> Tensor:
        loss = functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        return loss

    return [float(optimizer.step(closure)) for _ in range(epochs)]


def predict(model: nn.Module, images: Tensor) -> Tensor:
    with no_grad():
        return model(images).max(dim=-1).indices
