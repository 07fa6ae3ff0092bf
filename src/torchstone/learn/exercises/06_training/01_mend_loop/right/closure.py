# earns: solved
# the optimizer calls a closure
"""Mend five bugs in a training loop."""

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

        def closure(inputs: Tensor = inputs, labels: Tensor = labels) -> Tensor:
            optimizer.zero_grad(set_to_none=True)
            loss = functional.nll_loss(functional.log_softmax(net(inputs), dim=1), labels)
            loss.backward()
            return loss

        losses.append(optimizer.step(closure).item())
        sizes.append(labels.numel())
    return sum(loss * size for loss, size in zip(losses, sizes)) / sum(sizes)


@torch.no_grad()
def evaluate(net: nn.Module, batches: Batches) -> float:
    """The share of right answers."""
    net.train(False)
    hits = torch.cat([net(inputs).max(1).indices.eq(labels) for inputs, labels in batches])
    return hits.double().mean().item()
