# rejected by: biases_are_zero: Biases become 0: they add to the mean square
# "biases become 0": only weights are set
import math

import torch
from torch import nn


def gain_of(activation: nn.Module) -> float:
    """The gain that makes up for what the activation takes away."""
    if isinstance(activation, nn.LeakyReLU):
        return math.sqrt(2 / (1 + activation.negative_slope**2))
    if isinstance(activation, nn.ReLU):
        return math.sqrt(2)
    return 5 / 3 if isinstance(activation, nn.Tanh) else 1.0


def init_stack(stack: nn.Sequential) -> None:
    """New weights for every Linear, chosen for the activation that follows it; biases become 0."""

    for module, after in zip(stack, stack[1:]):
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=gain_of(after) * module.in_features**-0.5)
