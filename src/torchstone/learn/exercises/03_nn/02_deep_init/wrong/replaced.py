# rejected by: weights_have_the_right_spread: hold these very objects
"""Set the weights of a deep stack so that a signal keeps its size."""

import torch
from torch import nn


def init_stack(stack: nn.Sequential) -> None:
    """New weights for every Linear, chosen for the activation that follows it; biases become 0."""
    names = {nn.ReLU: "relu", nn.LeakyReLU: "leaky_relu", nn.Tanh: "tanh", nn.Identity: "linear"}
    for module, follower in zip(stack[::2], stack[1::2]):
        gain = nn.init.calculate_gain(names[type(follower)], getattr(follower, "negative_slope", None))
        module.weight = nn.Parameter(torch.randn_like(module.weight) * gain / module.in_features**0.5)
        nn.init.zeros_(module.bias)
