# rejected by: weights_are_normal: The task asks for weights from a normal distribution; 1.8 would
# the spread is right and the distribution is uniform; 'each Linear's weights come from a normal distribution with
# mean 0'
"""Set the weights of a deep stack so that a signal keeps its size."""

import math

import torch
from torch import nn


def spread(activation: nn.Module, inputs: int) -> float:
    """The standard deviation for a layer with that many inputs before that activation."""
    gain = 1.0
    if isinstance(activation, nn.ReLU):
        gain = nn.init.calculate_gain("relu")
    elif isinstance(activation, nn.LeakyReLU):
        gain = nn.init.calculate_gain("leaky_relu", activation.negative_slope)
    elif isinstance(activation, nn.Tanh):
        gain = nn.init.calculate_gain("tanh")
    return gain / math.sqrt(inputs)


def init_stack(stack: nn.Sequential) -> None:
    """New weights for every Linear, chosen for the activation that follows it; biases become 0."""
    modules = list(stack)
    for module, activation in zip(modules, modules[1:], strict=False):
        if isinstance(module, nn.Linear):
            std = spread(activation, module.in_features)
            nn.init.uniform_(module.weight, -math.sqrt(3) * std, math.sqrt(3) * std)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
