# earns: solved
# losses as sums on tensors, a helper for the mode, inference_mode
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
        optimizer.zero_grad(set_to_none=True)
        loss = functional.nll_loss(functional.log_softmax(net(inputs), dim=1), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach().double())
        sizes.append(labels.shape[0])
    weights = torch.tensor(sizes, dtype=torch.float64)
    return float(torch.stack(losses).cpu() @ weights / weights.sum())


@torch.inference_mode()
def evaluate(net: nn.Module, batches: Batches) -> float:
    """The share of right answers."""
    net.train(False)
    hits = [hit for inputs, labels in batches for hit in net(inputs).max(dim=1).indices.eq(labels).tolist()]
    return hits.count(True) / len(hits)
