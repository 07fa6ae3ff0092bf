# earns: solved
# kaiming_normal_ over pairwise neighbours, all as names and slopes
"""Set the weights of a deep stack so that a signal keeps its size."""

from itertools import pairwise

import torch
from torch import nn

NAMES = {nn.ReLU: "relu", nn.Tanh: "tanh", nn.LeakyReLU: "leaky_relu", nn.Identity: "linear"}


def init_stack(stack: nn.Sequential) -> None:
    """New weights for every Linear, chosen for the activation that follows it; biases become 0."""
    for layer, activation in pairwise(iter(stack)):
        if not isinstance(layer, nn.Linear):
            continue
        slope = getattr(activation, "negative_slope", 0)
        nn.init.kaiming_normal_(layer.weight, a=slope, mode="fan_in", nonlinearity=NAMES[type(activation)])
        if layer.bias is not None:
            nn.init.constant_(layer.bias, 0.0)
