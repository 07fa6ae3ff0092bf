# rejected by: weights_have_the_right_spread: Each output is a sum over the inputs
# "it is the number of inputs that counts": mode="fan_out" counts the outputs
import math

import torch
from torch import nn


def init_stack(stack: nn.Sequential) -> None:
    """New weights for every Linear, chosen for the activation that follows it; biases become 0."""

    names = {nn.ReLU: "relu", nn.Tanh: "tanh", nn.Identity: "linear", nn.LeakyReLU: "leaky_relu"}
    for module, after in zip(stack, list(stack)[1:]):
        if isinstance(module, nn.Linear):
            slope = getattr(after, "negative_slope", 0)
            nn.init.kaiming_normal_(module.weight, a=slope, mode="fan_out", nonlinearity=names[type(after)])
            nn.init.zeros_(module.bias)
