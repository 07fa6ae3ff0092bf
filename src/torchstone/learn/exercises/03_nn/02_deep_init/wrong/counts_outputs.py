# rejected by: weights_have_the_right_spread: the number of inputs
"""Set the weights of a deep stack so that a signal keeps its size."""

import torch
from torch import nn


def init_stack(stack: nn.Sequential) -> None:
    """New weights for every Linear, chosen for the activation that follows it; biases become 0."""
    gains = {nn.ReLU: 2**0.5, nn.Tanh: 5 / 3, nn.Identity: 1.0}
    for module, follower in zip(stack[::2], stack[1::2]):
        gain = gains.get(type(follower)) or (2 / (1 + follower.negative_slope**2)) ** 0.5
        nn.init.normal_(module.weight, std=gain / module.out_features**0.5)
        nn.init.zeros_(module.bias)
