# rejected by: evaluation_records_nothing: Evaluate under torch.no_grad()
# the forward pass of evaluate records a graph and is detached afterwards; breaks 'without recording gradients'
# (torch.is_grad_enabled() inside the net)
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
        optimizer.zero_grad()
        loss = functional.nll_loss(net(inputs).log_softmax(1), labels)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(labels)
        count += len(labels)
    return total / count


def evaluate(net: nn.Module, batches: Batches) -> float:
    """The share of right answers."""
    net.eval()
    right = count = 0
    for inputs, labels in batches:
        right += int((net(inputs).detach().argmax(1) == labels).sum())
        count += labels.numel()
    return right / count
