# rejected by: weights_have_the_right_spread: A LeakyReLU brings its own slope
# "nn.LeakyReLU with any slope": every LeakyReLU is taken to have the slope 0.01
"""Set the weights of a deep stack so that a signal keeps its size."""

import math

import torch
from torch import nn


def gain_of(activation: nn.Module) -> float:
    """How much the weights must make up for, before this activation."""
    if isinstance(activation, nn.ReLU):
        return math.sqrt(2)
    if isinstance(activation, nn.LeakyReLU):
        return nn.init.calculate_gain("leaky_relu")
    return 5 / 3 if isinstance(activation, nn.Tanh) else 1.0


def init_stack(stack: nn.Sequential) -> None:
    """New weights for every Linear, chosen for the activation that follows it; biases become 0."""
    modules = [module for module in stack]
    for module, after in zip(modules, modules[1:]):
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=gain_of(after) / math.sqrt(module.in_features))
            if module.bias is not None:
                nn.init.zeros_(module.bias)
