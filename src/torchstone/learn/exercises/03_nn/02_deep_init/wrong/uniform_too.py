# rejected by: weights_are_normal: The task asks for weights from a normal distribution
# "each Linear's weights come from a normal distribution": uniform numbers of the right spread
"""Set the weights of a deep stack so that a signal keeps its size."""

import math

import torch
from torch import nn


def gain_of(activation: nn.Module) -> float:
    """How much the weights must make up for, before this activation."""
    if isinstance(activation, nn.ReLU):
        return math.sqrt(2)
    if isinstance(activation, nn.LeakyReLU):
        return math.sqrt(2 / (1 + activation.negative_slope**2))
    return 5 / 3 if isinstance(activation, nn.Tanh) else 1.0


def init_stack(stack: nn.Sequential) -> None:
    """New weights for every Linear, chosen for the activation that follows it; biases become 0."""
    modules = [module for module in stack]
    for module, after in zip(modules, modules[1:]):
        if isinstance(module, nn.Linear):
            bound = gain_of(after) * math.sqrt(3 / module.in_features)
            nn.init.uniform_(module.weight, -bound, bound)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
