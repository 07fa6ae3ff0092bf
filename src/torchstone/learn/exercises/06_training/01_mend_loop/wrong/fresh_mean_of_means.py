# rejected by: loss_is_per_sample: s loss is a mean over the batch: weigh it with the number of
# a mean of the batches' means, in which a small last batch counts too much; 'returns the mean loss *per sample*'
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
        total += loss.item()
        samples += 1
    return total / samples


@torch.no_grad()
def evaluate(net: nn.Module, batches: Batches) -> float:
    """The share of right answers."""
    net.eval()
    verdicts = torch.cat([net(inputs).argmax(1) == labels for inputs, labels in batches])
    return verdicts.double().mean().item()
