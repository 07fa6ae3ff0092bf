# rejected by: weights_have_the_right_spread: Others, such as an optimizer, hold these very
# new Parameter objects replace the old ones
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
        module.weight = nn.Parameter(torch.randn_like(module.weight) * gain * module.in_features**-0.5)
        if module.bias is not None:
            nn.init.zeros_(module.bias)
