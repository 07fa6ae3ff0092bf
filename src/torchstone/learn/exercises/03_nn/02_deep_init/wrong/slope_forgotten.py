# rejected by: weights_have_the_right_spread: A LeakyReLU brings its own slope
# "nn.LeakyReLU with any slope": calculate_gain("leaky_relu") without a slope takes 0.01
import math

import torch
from torch import nn


def init_stack(stack: nn.Sequential) -> None:
    """New weights for every Linear, chosen for the activation that follows it; biases become 0."""

    names = {"ReLU": "relu", "Tanh": "tanh", "LeakyReLU": "leaky_relu", "Identity": "linear"}
    modules = list(stack)
    for module, after in zip(modules, modules[1:]):
        if isinstance(module, nn.Linear):
            gain = nn.init.calculate_gain(names[type(after).__name__])
            nn.init.normal_(module.weight, std=gain / math.sqrt(module.in_features))
            nn.init.zeros_(module.bias)
