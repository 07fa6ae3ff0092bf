# rejected by: weights_are_right: left in evaluation mode
# trains in whatever mode the net was left in; 'Each of the two puts the net into the mode that it needs'
"""Mend five bugs in a training loop."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

Batches = Sequence[tuple[Tensor, Tensor]]


def train_epoch(net: nn.Module, optimizer: torch.optim.Optimizer, batches: Batches) -> float:
    """One step for each batch; returns the mean loss per sample."""
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
    verdicts = torch.cat([net(inputs).argmax(1) == labels for inputs, labels in batches])
    return verdicts.double().mean().item()
