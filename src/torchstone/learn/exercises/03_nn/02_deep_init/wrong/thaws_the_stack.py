# rejected by: parameters_stay: requires_grad is the caller's flag
# "Nothing else changes": frozen parameters require gradients afterwards
"""Set the weights of a deep stack so that a signal keeps its size."""

import torch
from torch import nn


def gain_of(activation: nn.Module) -> float:
    """How much the weights have to make up for the activation."""
    if isinstance(activation, nn.ReLU):
        return nn.init.calculate_gain("relu")
    if isinstance(activation, nn.LeakyReLU):
        return nn.init.calculate_gain("leaky_relu", activation.negative_slope)
    if isinstance(activation, nn.Tanh):
        return nn.init.calculate_gain("tanh")
    return 1.0


def init_stack(stack: nn.Sequential) -> None:
    """New weights for every Linear, chosen for the activation that follows it; biases become 0."""
    stack.requires_grad_(True)
    modules = list(stack)
    for module, activation in zip(modules, [*modules[1:], nn.Identity()], strict=True):
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=gain_of(activation) / module.in_features**0.5)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
