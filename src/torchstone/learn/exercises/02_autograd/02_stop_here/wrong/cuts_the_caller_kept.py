# rejected by: target_is_constant: grad is the caller's flag: detach() gives a
# next_value and reward themselves are detached in place, and cut off from their own graphs
import torch
from torch import Tensor


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    target = reward.detach_() + discount * next_value.detach_()
    return (value - target).square().mean()


def round_through(x: Tensor) -> Tensor:
    return x + (x.round() - x).detach()


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    return x / scale.detach()
