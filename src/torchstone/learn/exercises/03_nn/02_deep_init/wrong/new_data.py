# rejected by: numbers_change_in_place: Keep its dtype and its device.
# the data is replaced by a new float32 tensor, so a float64 stack changes its dtype; 'sets all weights anew, in
# place' and 'Nothing else changes'
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
    for module, activation in zip(modules, modules[1:], strict=False):
        if isinstance(module, nn.Linear):
            std = spread(activation, module.in_features)
            module.weight.data = std * torch.randn(module.out_features, module.in_features)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
