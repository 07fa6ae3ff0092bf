# rejected by: predictions_are_right: Train or eval is the caller's choice, layer
# predict leaves the model in evaluation mode, and predicts in it
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
    model.eval()
    return model(images).argmax(dim=1)
