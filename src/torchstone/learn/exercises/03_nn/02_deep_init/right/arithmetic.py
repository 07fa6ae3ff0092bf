# earns: solved
# randn times a root, copied in under no_grad, from the last layer to the first
import math

import torch
from torch import nn


def mean_square_kept(activation: nn.Module) -> float:
    """What the activation leaves of the mean square of a normal signal."""
    if isinstance(activation, nn.ReLU):
        return 1 / 2
    if isinstance(activation, nn.LeakyReLU):
        return (1 + activation.negative_slope**2) / 2
    if isinstance(activation, nn.Tanh):
        return 9 / 25
    return 1.0


@torch.no_grad()
def init_stack(stack: nn.Sequential) -> None:
    activation = nn.Identity()
    for module in reversed(list(iter(stack))):
        if not isinstance(module, nn.Linear):
            activation = module
            continue
        inputs = module.weight.shape[1]
        spread = math.sqrt(1 / (inputs * mean_square_kept(activation)))
        module.weight.copy_(torch.randn_like(module.weight) * spread)
        if module.bias is not None:
            module.bias.fill_(0)
