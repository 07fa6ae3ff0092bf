# rejected by: weights_have_the_right_spread: That keeps a straight signal
# "an activation after each": children() names a module once, so of one activation object used after every layer only
# the first place is seen
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

    modules = list(stack.children())
    for module, after in zip(modules, modules[1:] + [nn.Identity()]):
        if isinstance(module, nn.Linear):
            std = gain_of(after) / math.sqrt(module.in_features)
            nn.init.normal_(module.weight, std=std)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
