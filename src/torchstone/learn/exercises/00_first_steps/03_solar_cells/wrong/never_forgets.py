# rejected by: steps_are_right: backward() added to the gradients of the step
# the gradients of the steps before are never forgotten and pile up
from torch import Tensor, nn
from torch.nn import functional
from torch.optim import Optimizer


def train(model: nn.Module, optimizer: Optimizer, images: Tensor, labels: Tensor, epochs: int) -> list[float]:
    losses = []
    for _ in range(epochs):
        scores = model(images)
        loss = functional.cross_entropy(scores, labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def predict(model: nn.Module, images: Tensor) -> Tensor:
    return model(images).argmax(dim=1)
