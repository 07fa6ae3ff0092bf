# rejected by: accuracy_is_right: Dropout and batch norm behave differently while evaluating:
# the mean of the batches' shares; 'returns the share of right answers' (the last batch may be smaller)
"""Mend five bugs in a training loop."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

Batches = Sequence[tuple[Tensor, Tensor]]


def train_epoch(net: nn.Module, optimizer: torch.optim.Optimizer, batches: Batches) -> float:
    """One step for each batch; returns the mean loss per sample."""
    net.train()
    total, samples = 0.0, 0
    for inputs, labels in batches:
        optimizer.zero_grad()
        loss = functional.nll_loss(net(inputs).log_softmax(1), labels)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(labels)
        samples += len(labels)
    return total / samples


@torch.no_grad()
def evaluate(net: nn.Module, batches: Batches) -> float:
    """The share of right answers."""
    net.eval()
    shares = [(net(inputs).argmax(1) == labels).double().mean() for inputs, labels in batches]
    return torch.stack(shares).mean().item()
