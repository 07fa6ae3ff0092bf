"""Set the weights of a deep stack so that a signal keeps its size."""

import torch
from torch import nn


def init_stack(stack: nn.Sequential) -> None:
    """New weights for every Linear, chosen for the activation that follows it; biases become 0."""
    for module in stack:
        if isinstance(module, nn.Linear):
            # TODO: how wide must the weights be spread, for this number of inputs and the activation that follows?
            nn.init.normal_(module.weight, std=0.01)
            nn.init.zeros_(module.bias)
