# rejected by: evaluation_records_nothing: grad(): otherwise each batch builds a graph that
# evaluation records gradients
"""Mend five bugs in a training loop."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

Batches = Sequence[tuple[Tensor, Tensor]]


def _losses(net: nn.Module, inputs: Tensor, labels: Tensor) -> Tensor:
    """The loss of each sample."""
    log_p = net(inputs).log_softmax(-1)
    return -log_p.gather(-1, labels.unsqueeze(-1)).squeeze(-1)


def train_epoch(net: nn.Module, optimizer: torch.optim.Optimizer, batches: Batches) -> float:
    """One step for each batch; returns the mean loss per sample."""
    for module in net.modules():
        module.training = True
    seen: list[float] = []
    for inputs, labels in batches:
        net.zero_grad()
        optimizer.zero_grad()
        losses = _losses(net, inputs, labels)
        losses.mean().backward()
        optimizer.step()
        seen.extend(losses.detach().tolist())
    return sum(seen) / len(seen)


def evaluate(net: nn.Module, batches: Batches) -> float:
    """The share of right answers."""
    net.train(False)
    hits = torch.cat([net(inputs).max(1).indices.eq(labels) for inputs, labels in batches])
    return hits.double().mean().item()
