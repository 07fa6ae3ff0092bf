# earns: solved
# kaiming_normal_ with the name of the activation
"""Set the weights of a deep stack so that a signal keeps its size."""

import torch
from torch import nn

NAMES = {nn.ReLU: "relu", nn.Tanh: "tanh", nn.LeakyReLU: "leaky_relu", nn.Identity: "linear"}


def init_stack(stack: nn.Sequential) -> None:
    """New weights for every Linear, chosen for the activation that follows it; biases become 0."""
    for place in range(len(stack)):
        layer = stack[place]
        if not isinstance(layer, nn.Linear):
            continue
        activation = stack[place + 1] if place + 1 < len(stack) else nn.Identity()
        slope = getattr(activation, "negative_slope", 0)
        nn.init.kaiming_normal_(layer.weight, a=slope, mode="fan_in", nonlinearity=NAMES[type(activation)])
        if layer.bias is not None:
            nn.init.constant_(layer.bias, 0.0)
