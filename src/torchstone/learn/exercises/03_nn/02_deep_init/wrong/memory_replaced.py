# rejected by: numbers_change_in_place: In place
# weight.data = … puts the Parameter onto new memory; 'the same Parameter objects stay in place, with their memory'
# (data_ptr changes, a view of the old weights does not follow)
"""Set the weights of a deep stack so that a signal keeps its size."""

import torch
from torch import nn


def _gain(activation: nn.Module) -> float:
    if isinstance(activation, nn.ReLU):
        return nn.init.calculate_gain("relu")
    if isinstance(activation, nn.LeakyReLU):
        return nn.init.calculate_gain("leaky_relu", activation.negative_slope)
    if isinstance(activation, nn.Tanh):
        return nn.init.calculate_gain("tanh")
    return 1.0


def init_stack(stack: nn.Sequential) -> None:
    """New weights for every Linear, chosen for the activation that follows it; biases become 0."""
    modules = list(stack)
    for module, following in zip(modules, modules[1:]):
        if isinstance(module, nn.Linear):
            spread = _gain(following) / module.in_features**0.5
            module.weight.data = torch.randn_like(module.weight) * spread
            if module.bias is not None:
                nn.init.zeros_(module.bias)
