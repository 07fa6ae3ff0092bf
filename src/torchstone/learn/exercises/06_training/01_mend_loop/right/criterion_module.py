# earns: solved
# nn.CrossEntropyLoss, modes set module by module, tensors gathered and reduced at the end
"""Mend five bugs in a training loop."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

Batches = Sequence[tuple[Tensor, Tensor]]


def train_epoch(net: nn.Module, optimizer: torch.optim.Optimizer, batches: Batches) -> float:
    """One step for each batch; returns the mean loss per sample."""
    for module in net.modules():
        module.train(True)
    criterion = nn.CrossEntropyLoss()
    losses, sizes = [], []
    for inputs, labels in batches:
        loss = criterion(net(inputs), labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        sizes.append(labels.shape[0])
    return sum(loss * size for loss, size in zip(losses, sizes)) / sum(sizes)


@torch.no_grad()
def evaluate(net: nn.Module, batches: Batches) -> float:
    """The share of right answers."""
    for module in net.modules():
        module.train(False)
    hits = torch.cat([net(inputs).max(dim=1).indices == labels for inputs, labels in batches])
    return hits.double().mean().item()
