# rejected by: target_is_constant: No gradient reaches value: the guess is blocked,
# the target learns and the value does not
import torch
from torch import Tensor


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    target = reward + discount * next_value
    return (value.detach() - target).square().mean()


def round_through(x: Tensor) -> Tensor:
    return x + (x.round() - x).detach()


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    return x / scale.detach()
