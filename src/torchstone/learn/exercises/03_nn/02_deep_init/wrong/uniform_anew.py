# rejected by: weights_are_normal: The task asks for weights from a normal distribution
# the spread is right, the distribution is uniform; 'weights come from a normal distribution with mean 0'
"""Set the weights of a deep stack so that a signal keeps its size."""

import torch
from torch import nn


def _gain(activation: nn.Module) -> float:
    if isinstance(activation, nn.ReLU):
        return nn.init.calculate_gain("relu")
    if isinstance(activation, nn.LeakyReLU):
        return nn.init.calculate_gain("leaky_relu", activation.negative_slope)
    if isinstance(activation, nn.Tanh):
        return nn.init.calculate_gain("tanh")
    return 1.0


def init_stack(stack: nn.Sequential) -> None:
    """New weights for every Linear, chosen for the activation that follows it; biases become 0."""
    modules = list(stack)
    for module, following in zip(modules, modules[1:]):
        if isinstance(module, nn.Linear):
            bound = _gain(following) * (3 / module.in_features) ** 0.5
            nn.init.uniform_(module.weight, -bound, bound)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
