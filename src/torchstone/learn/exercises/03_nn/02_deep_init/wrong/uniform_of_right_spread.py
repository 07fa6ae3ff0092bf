# rejected by: weights_are_normal: The task asks for weights from a normal distribution
# "each Linear's weights come from a normal distribution with mean 0": a uniform distribution with the right spread
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
    modules = list(stack)
    for module, activation in zip(modules, [*modules[1:], nn.Identity()], strict=True):
        if isinstance(module, nn.Linear):
            bound = gain_of(activation) * (3 / module.in_features) ** 0.5
            nn.init.uniform_(module.weight, -bound, bound)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
