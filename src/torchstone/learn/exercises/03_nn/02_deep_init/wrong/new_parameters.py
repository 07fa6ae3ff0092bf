# rejected by: weights_have_the_right_spread: hold these very objects
# "the same Parameter objects stay in place": they are replaced, and an optimizer made before trains the old ones
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
            module.weight = nn.Parameter(torch.randn_like(module.weight) * std)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
