# earns: solved
# cross entropy from log_softmax, zero_grad before the forward pass, topk
from torch import Tensor, nn
from torch.nn import functional
from torch.optim import Optimizer


def train(model: nn.Module, optimizer: Optimizer, images: Tensor, labels: Tensor, epochs: int) -> list[float]:
    history = []
    while len(history) < epochs:
        optimizer.zero_grad()
        log_shares = functional.log_softmax(model(images), dim=1)
        loss = -log_shares.gather(1, labels[:, None]).mean()
        loss.backward()
        optimizer.step()
        history.append(loss.detach())
    return [one.item() for one in history]


def predict(model: nn.Module, images: Tensor) -> Tensor:
    scores = model(images).detach()
    return scores.topk(1, dim=1).indices.squeeze(1)
