# rejected by: weights_have_the_right_spread: That keeps a straight signal
# children() meets a shared activation only once, so layers and activations no longer line up; 'One activation
# object may stand after several layers' (tanh = nn.Tanh(); Linear, tanh, Linear, tanh, Linear, nn.ReLU())
"""Set the weights of a deep stack so that a signal keeps its size."""

import torch
from torch import nn


def _gain(activation: nn.Module) -> float:
    if isinstance(activation, nn.ReLU):
        return nn.init.calculate_gain("relu")
    if isinstance(activation, nn.LeakyReLU):
        return nn.init.calculate_gain("leaky_relu", activation.negative_slope)
    if isinstance(activation, nn.Tanh):
        return nn.init.calculate_gain("tanh")
    return 1.0


def init_stack(stack: nn.Sequential) -> None:
    """New weights for every Linear, chosen for the activation that follows it; biases become 0."""
    modules = [*stack.children(), nn.Identity()]
    for module, following in zip(modules, modules[1:]):
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=_gain(following) / module.in_features**0.5)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
