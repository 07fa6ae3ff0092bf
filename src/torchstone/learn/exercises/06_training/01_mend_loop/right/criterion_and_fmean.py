# earns: solved
# a CrossEntropyLoss module, fmean with weights, a decorator
"""Mend five bugs in a training loop."""

from collections.abc import Sequence
from statistics import fmean

import torch
from torch import Tensor, nn

Batches = Sequence[tuple[Tensor, Tensor]]


def train_epoch(net: nn.Module, optimizer: torch.optim.Optimizer, batches: Batches) -> float:
    """One step for each batch; returns the mean loss per sample."""
    net.train(True)
    criterion = nn.CrossEntropyLoss()
    losses: list[float] = []
    sizes: list[int] = []
    for inputs, labels in batches:
        loss = criterion(net(inputs), labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
        sizes.append(labels.numel())
    return fmean(losses, weights=sizes)


@torch.no_grad()
def evaluate(net: nn.Module, batches: Batches) -> float:
    """The share of right answers."""
    net.train(False)
    answers = [net(inputs).max(dim=1).indices.eq(labels) for inputs, labels in batches]
    hits = torch.cat(answers)
    return hits.count_nonzero().item() / hits.numel()
