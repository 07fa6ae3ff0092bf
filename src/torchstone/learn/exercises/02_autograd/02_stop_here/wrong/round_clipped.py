# rejected by: rounding_lets_gradients_through: round() is flat between two steps and its gradient is 0: add a
# "Let the gradient go through as if nothing had been rounded": it passes between −1 and 1 only, as binary nets do it
import torch
from torch import Tensor


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    """The mean of (value − target)², with a gradient for `value` alone."""
    target = (reward + discount * next_value).detach()
    return (value - target).square().mean()


def round_through(x: Tensor) -> Tensor:
    soft = torch.nn.functional.hardtanh(x)
    return soft + (x.round() - soft).detach()


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    """x / scale, with a gradient for `x` alone."""
    return x / scale.detach()
