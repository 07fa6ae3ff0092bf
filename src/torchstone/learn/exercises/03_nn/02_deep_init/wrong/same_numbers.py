# rejected by: weights_are_normal: Every call draws new numbers: leave the seed alone.
# draws the same numbers in every call; 'every call draws new numbers'
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
    generator = torch.Generator(modules[0].weight.device).manual_seed(len(modules))
    for module, activation in zip(modules, modules[1:], strict=False):
        if isinstance(module, nn.Linear):
            std = spread(activation, module.in_features)
            nn.init.normal_(module.weight, std=std, generator=generator)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
