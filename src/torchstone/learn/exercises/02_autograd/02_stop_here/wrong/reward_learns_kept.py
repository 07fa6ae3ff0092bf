# rejected by: target_is_constant: That pulls the target towards the guess: all
# only next_value is detached, so the reward gets a gradient
import torch
from torch import Tensor


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    target = reward + discount * next_value.detach()
    return (value - target).square().mean()


def round_through(x: Tensor) -> Tensor:
    return x + (x.round() - x).detach()


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    return x / scale.detach()
