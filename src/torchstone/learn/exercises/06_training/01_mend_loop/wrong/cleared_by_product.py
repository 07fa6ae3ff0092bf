# rejected by: weights_are_right: The inf that stood in .grad before
# old gradients are multiplied by 0, and 0 · inf is nan; 'Gradients that were there before must not matter'
"""Mend five bugs in a training loop."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

Batches = Sequence[tuple[Tensor, Tensor]]


def train_epoch(net: nn.Module, optimizer: torch.optim.Optimizer, batches: Batches) -> float:
    """One step for each batch; returns the mean loss per sample."""
    net.train()
    total, count = 0.0, 0
    for inputs, labels in batches:
        # cross_entropy takes logits: it has its own softmax.
        loss = functional.cross_entropy(net(inputs), labels)
        # Cleared before backward: between backward and step it would throw away what the step needs.
        for one in net.parameters():
            if one.grad is not None:
                one.grad.mul_(0)
        loss.backward()
        optimizer.step()
        # The loss is a mean over its batch; a smaller last batch must count for less.
        total += loss.item() * len(labels)
        count += len(labels)
    return total / count


def evaluate(net: nn.Module, batches: Batches) -> float:
    """The share of right answers."""
    net.eval()
    right = count = 0
    with torch.no_grad():
        for inputs, labels in batches:
            right += (net(inputs).argmax(1) == labels).sum().item()
            count += len(labels)
    return right / count
