# earns: solved
# a CrossEntropyLoss object, a decorator for no_grad, topk for the answers
"""Mend five bugs in a training loop."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

Batches = Sequence[tuple[Tensor, Tensor]]


def train_epoch(net: nn.Module, optimizer: torch.optim.Optimizer, batches: Batches) -> float:
    """One step for each batch; returns the mean loss per sample."""
    net.train()
    criterion = nn.CrossEntropyLoss()
    total, count = 0.0, sum(len(labels) for _, labels in batches)
    for inputs, labels in batches:
        optimizer.zero_grad()
        loss = criterion(net(inputs), labels)
        loss.backward()
        optimizer.step()
        total += float(loss.detach()) * labels.shape[0] / count
    return total


@torch.no_grad()
def evaluate(net: nn.Module, batches: Batches) -> float:
    """The share of right answers."""
    net.eval()
    answers = [(net(inputs).max(dim=1).indices == labels).tolist() for inputs, labels in batches]
    flat = [right for batch in answers for right in batch]
    return flat.count(True) / len(flat)
