# rejected by: numbers_change_in_place: In place: write into the memory that is
# "the same Parameter objects stay in place, with their memory": the Parameter gets other memory
"""Set the weights of a deep stack so that a signal keeps its size."""

import torch
from torch import nn


def gain_of(activation: nn.Module) -> float:
    """How much the weights have to make up for the activation."""
    if isinstance(activation, nn.ReLU):
        return nn.init.calculate_gain("relu")
    if isinstance(activation, nn.LeakyReLU):
        return nn.init.calculate_gain("leaky_relu", activation.negative_slope)
    if isinstance(activation, nn.Tanh):
        return nn.init.calculate_gain("tanh")
    return 1.0


def init_stack(stack: nn.Sequential) -> None:
    """New weights for every Linear, chosen for the activation that follows it; biases become 0."""
    modules = list(stack)
    for module, activation in zip(modules, [*modules[1:], nn.Identity()], strict=True):
        if isinstance(module, nn.Linear):
            std = gain_of(activation) / module.in_features**0.5
            module.weight.data = torch.randn_like(module.weight) * std
            if module.bias is not None:
                nn.init.zeros_(module.bias)
