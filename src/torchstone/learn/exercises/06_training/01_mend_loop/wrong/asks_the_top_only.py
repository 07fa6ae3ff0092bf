# rejected by: weights_are_right: The net, or a part of it, was
# the mode is set only if the net's own flag differs, so a part that was left in evaluation mode stays there
"""Mend five bugs in a training loop."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

Batches = Sequence[tuple[Tensor, Tensor]]


def train_epoch(net: nn.Module, optimizer: torch.optim.Optimizer, batches: Batches) -> float:
    """One step for each batch; returns the mean loss per sample."""
    if not net.training:
        net.train()
    total = 0.0
    count = 0
    for inputs, labels in batches:
        optimizer.zero_grad()
        loss = functional.cross_entropy(net(inputs), labels)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(labels)
        count += len(labels)
    return total / count


def evaluate(net: nn.Module, batches: Batches) -> float:
    """The share of right answers."""
    if net.training:
        net.eval()
    right = count = 0
    with torch.no_grad():
        for inputs, labels in batches:
            right += (net(inputs).argmax(1) == labels).sum().item()
            count += len(labels)
    return right / count
