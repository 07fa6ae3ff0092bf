# rejected by: weights_have_the_right_spread: its root
"""Set the weights of a deep stack so that a signal keeps its size."""

import torch
from torch import nn


def init_stack(stack: nn.Sequential) -> None:
    """New weights for every Linear, chosen for the activation that follows it; biases become 0."""
    names = {nn.ReLU: "relu", nn.LeakyReLU: "leaky_relu", nn.Tanh: "tanh", nn.Identity: "linear"}
    for module, follower in zip(stack[::2], stack[1::2]):
        gain = nn.init.calculate_gain(names[type(follower)], getattr(follower, "negative_slope", None))
        nn.init.normal_(module.weight, std=gain**2 / module.in_features)
        nn.init.zeros_(module.bias)
