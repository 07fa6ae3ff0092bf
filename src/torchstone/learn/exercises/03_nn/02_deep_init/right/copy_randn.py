# earns: solved
# from the back to the front, randn copied into the weights
"""Set the weights of a deep stack so that a signal keeps its size."""

import torch
from torch import nn


@torch.no_grad()
def init_stack(stack: nn.Sequential) -> None:
    """New weights for every Linear, chosen for the activation that follows it; biases become 0."""
    gain = 1.0
    for place in reversed(range(len(stack))):
        match stack[place]:
            case nn.ReLU():
                gain = nn.init.calculate_gain("relu")
            case nn.LeakyReLU(negative_slope=slope):
                gain = nn.init.calculate_gain("leaky_relu", slope)
            case nn.Tanh():
                gain = nn.init.calculate_gain("tanh")
            case nn.Linear() as layer:
                layer.weight.copy_(torch.randn_like(layer.weight).mul_(gain * layer.in_features**-0.5))
                if layer.bias is not None:
                    layer.bias.zero_()
            case _:
                gain = 1.0
