# earns: solved
# kaiming_normal_ with a name for each activation, over pairs
"""Set the weights of a deep stack so that a signal keeps its size."""

import torch
from torch import nn

NAMES = {nn.ReLU: "relu", nn.Tanh: "tanh", nn.LeakyReLU: "leaky_relu", nn.Identity: "linear"}


def init_stack(stack: nn.Sequential) -> None:
    """New weights for every Linear, chosen for the activation that follows it; biases become 0."""
    last = None
    for module in reversed(list(stack)):
        if isinstance(module, nn.Linear):
            nn.init.kaiming_normal_(
                module.weight,
                a=getattr(last, "negative_slope", 0.0),
                mode="fan_in",
                nonlinearity=NAMES.get(type(last), "linear"),
            )
            if module.bias is not None:
                with torch.no_grad():
                    module.bias.fill_(0)
        last = module
