# rejected by: weights_are_right: The net, or a part of it, was left in ev
# looks only at the top's flag: a dropout left in eval inside a net in train mode stays off; breaks 'every part of
# it, into the mode that it needs, whatever mode it was in'
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
    total, count = 0.0, 0
    for inputs, labels in batches:
        optimizer.zero_grad()
        loss = functional.nll_loss(net(inputs).log_softmax(1), labels)
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
            right += int((net(inputs).argmax(1) == labels).sum())
            count += labels.numel()
    return right / count
