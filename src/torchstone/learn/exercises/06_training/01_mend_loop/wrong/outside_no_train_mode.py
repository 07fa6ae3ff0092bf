# rejected by: weights_are_right: left in evaluation mode
# "Each of the two puts the net into the mode that it needs": train_epoch keeps whatever mode it finds
"""Mend five bugs in a training loop."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

Batches = Sequence[tuple[Tensor, Tensor]]


def train_epoch(net: nn.Module, optimizer: torch.optim.Optimizer, batches: Batches) -> float:
    """One step for each batch; returns the mean loss per sample."""
    tally = [0.0, 0]
    for pair in batches:
        net_input, labels = pair
        optimizer.zero_grad(set_to_none=True)
        loss = functional.nll_loss(functional.log_softmax(net(net_input), 1), labels)
        loss.backward()
        optimizer.step()
        tally = [tally[0] + loss.item() * labels.numel(), tally[1] + labels.numel()]
    return tally[0] / tally[1]


def evaluate(net: nn.Module, batches: Batches) -> float:
    """The share of right answers."""
    net.train(False)
    with torch.no_grad():
        hits = [(net(inputs).argmax(1) == labels) for inputs, labels in batches]
    return torch.cat(hits).double().mean().item()
