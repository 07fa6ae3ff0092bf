# rejected by: weights_have_the_right_spread: A LeakyReLU brings its own slope
# every LeakyReLU is taken for one of slope 0.01; '`nn.LeakyReLU` with any slope' (slope 0.5: the spread should be
# 1.26 / √n, here 1.41 / √n)
"""Set the weights of a deep stack so that a signal keeps its size."""

import torch
from torch import nn


def _gain(activation: nn.Module) -> float:
    if isinstance(activation, nn.ReLU):
        return nn.init.calculate_gain("relu")
    if isinstance(activation, nn.LeakyReLU):
        return nn.init.calculate_gain("leaky_relu")
    if isinstance(activation, nn.Tanh):
        return nn.init.calculate_gain("tanh")
    return 1.0


def init_stack(stack: nn.Sequential) -> None:
    """New weights for every Linear, chosen for the activation that follows it; biases become 0."""
    modules = list(stack)
    for module, following in zip(modules, modules[1:]):
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=_gain(following) / module.in_features**0.5)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
