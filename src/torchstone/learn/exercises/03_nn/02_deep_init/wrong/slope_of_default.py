# rejected by: weights_have_the_right_spread: A LeakyReLU brings its own slope: gain² =
# every LeakyReLU counts as one of slope 0.01; promised: "`nn.LeakyReLU` with any slope"
"""Set the weights of a deep stack so that a signal keeps its size."""

import torch
from torch import nn


def _gain(activation: nn.Module) -> float:
    if isinstance(activation, nn.ReLU):
        return 2**0.5
    if isinstance(activation, nn.LeakyReLU):
        return nn.init.calculate_gain("leaky_relu")
    if isinstance(activation, nn.Tanh):
        return 5 / 3
    return 1.0


@torch.no_grad()
def init_stack(stack: nn.Sequential) -> None:
    """New weights for every Linear, chosen for the activation that follows it; biases become 0."""
    modules = list(stack)
    for module, follower in zip(modules, [*modules[1:], nn.Identity()]):
        if isinstance(module, nn.Linear):
            module.weight.normal_(0.0, _gain(follower) * module.in_features**-0.5)
            if module.bias is not None:
                module.bias.zero_()
