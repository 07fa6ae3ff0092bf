# earns: solved
# kaiming_normal_ with a table of names, walking backwards
import math

import torch
from torch import nn


NAMES = {nn.ReLU: ("relu", None), nn.Tanh: ("tanh", None), nn.Identity: ("linear", None)}


def name_and_slope(activation: nn.Module) -> tuple[str, float | None]:
    if isinstance(activation, nn.LeakyReLU):
        return "leaky_relu", activation.negative_slope
    return NAMES.get(type(activation), ("linear", None))


def init_stack(stack: nn.Sequential) -> None:
    """New weights for every Linear, chosen for the activation that follows it; biases become 0."""

    after: nn.Module = nn.Identity()
    for module in reversed(list(stack)):
        if isinstance(module, nn.Linear):
            name, slope = name_and_slope(after)
            gain = nn.init.calculate_gain(name, slope)
            fan = module.weight.size(1)
            module.weight.data.normal_(mean=0.0, std=gain * fan**-0.5)
            if module.bias is not None:
                module.bias.data.zero_()
        after = module
