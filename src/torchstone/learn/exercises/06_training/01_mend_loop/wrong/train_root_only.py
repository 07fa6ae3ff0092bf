# rejected by: parts_of_parts_are_switched_too: a norm inside a part of a part
# train_epoch puts only the root and its direct children into train mode, not "every part of it"
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

Batches = Sequence[tuple[Tensor, Tensor]]


def train_epoch(net: nn.Module, optimizer: torch.optim.Optimizer, batches: Batches) -> float:
    """One step for each batch; returns the mean loss per sample."""
    net.training = True
    for child in net.children():
        child.training = True
    total, count = 0.0, 0
    for inputs, labels in batches:
        optimizer.zero_grad()
        logits = net(inputs)
        loss = functional.cross_entropy(logits, labels)
        loss.backward()
        optimizer.step()
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
