# rejected by: steps_are_right: loss.item() is the number inside the tensor
# the losses are tensors with their graphs, not Python floats
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
        losses.append(loss)
    return losses


def predict(model: nn.Module, images: Tensor) -> Tensor:
    return model(images).argmax(dim=1)
