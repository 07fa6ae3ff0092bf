# earns: solved
# summed loss divided by the size, inference by a decorator, totals in float64
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

Batches = Sequence[tuple[Tensor, Tensor]]


def train_epoch(net: nn.Module, optimizer: torch.optim.Optimizer, batches: Batches) -> float:
    """One step for each batch; returns the mean loss per sample."""

    net.train(True)
    losses, sizes = [], []
    for inputs, labels in batches:
        net_loss = functional.cross_entropy(net(inputs), labels, reduction="mean")
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                parameter.grad = None
        net_loss.backward()
        optimizer.step()
        losses.append(net_loss.detach().double() * labels.shape[0])
        sizes.append(labels.shape[0])
    return (torch.stack(losses).sum() / sum(sizes)).item()


@torch.no_grad()
def evaluate(net: nn.Module, batches: Batches) -> float:
    net.train(False)
    hits = [torch.eq(net(inputs).max(dim=1).indices, labels) for inputs, labels in batches]
    return torch.cat(hits).double().mean().item()
