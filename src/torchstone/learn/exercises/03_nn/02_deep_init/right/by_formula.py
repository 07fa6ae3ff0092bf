# earns: solved
# walks backwards, own gains, drawn in place without torch.nn.init
"""Set the weights of a deep stack so that a signal keeps its size."""

import torch
from torch import nn


@torch.no_grad()
def init_stack(stack: nn.Sequential) -> None:
    """New weights for every Linear, chosen for the activation that follows it; biases become 0."""
    gain = 1.0
    for module in reversed(list(stack)):
        match module:
            case nn.Linear():
                module.weight.normal_().mul_(gain * module.weight.shape[1] ** -0.5)
                if module.bias is not None:
                    module.bias.zero_()
                gain = 1.0
            case nn.ReLU():
                gain = 2**0.5
            case nn.LeakyReLU():
                gain = (2 / (1 + module.negative_slope**2)) ** 0.5
            case nn.Tanh():
                gain = 5 / 3
            case _:
                gain = 1.0
