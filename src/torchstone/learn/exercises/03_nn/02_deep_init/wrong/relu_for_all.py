# rejected by: weights_have_the_right_spread: A LeakyReLU brings its own slope
# "so that the layer and the activation after it keep the mean square": the gain of ReLU is used for tanh and identity
# too
import math

import torch
from torch import nn


def init_stack(stack: nn.Sequential) -> None:
    """New weights for every Linear, chosen for the activation that follows it; biases become 0."""

    for module in stack:
        if isinstance(module, nn.Linear):
            nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
            nn.init.zeros_(module.bias)
