# rejected by: rounding_lets_gradients_through: round() is flat between two steps and its
# the rounded tensor is a new leaf, and no gradient goes through to x
import torch
from torch import Tensor


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    target = (reward + discount * next_value).detach()
    return (value - target).square().mean()


def round_through(x: Tensor) -> Tensor:
    return x.detach().round().requires_grad_(x.requires_grad)


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    return x / scale.detach()
