# rejected by: weights_are_normal: The task asks for weights from a normal
# weights come from a uniform distribution of the right spread, not from a normal one
import torch
from torch import nn


def init_stack(stack: nn.Sequential) -> None:
    modules = list(stack)
    for module, after in zip(modules, modules[1:]):
        if not isinstance(module, nn.Linear):
            continue
        if isinstance(after, nn.ReLU):
            gain = nn.init.calculate_gain("relu")
        elif isinstance(after, nn.LeakyReLU):
            gain = nn.init.calculate_gain("leaky_relu", after.negative_slope)
        elif isinstance(after, nn.Tanh):
            gain = nn.init.calculate_gain("tanh")
        else:
            gain = 1.0
        bound = gain * (3 / module.in_features) ** 0.5
        nn.init.uniform_(module.weight, -bound, bound)
        if module.bias is not None:
            nn.init.zeros_(module.bias)
