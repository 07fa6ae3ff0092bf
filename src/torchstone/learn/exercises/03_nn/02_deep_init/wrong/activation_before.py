# rejected by: weights_have_the_right_spread: std = gain / √(number of inputs)
# "the layer and the activation *after* it": the gain is that of the activation before
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

    before: nn.Module = nn.Identity()
    for module in stack:
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, 0.0, gain_of(before) / module.in_features**0.5)
            nn.init.zeros_(module.bias)
        else:
            before = module
