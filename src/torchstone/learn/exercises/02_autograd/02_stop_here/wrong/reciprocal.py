# rejected by: small_scales_are_scales: 1 / scale is beyond float16
# x · (1 / scale) is infinite or NaN where 1 / scale overflows; "`rescale(x, scale)` is x / scale"
import torch
from torch import Tensor


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    target = torch.add(reward, next_value, alpha=discount).detach()
    return (value - target).square().mean()


def round_through(x: Tensor) -> Tensor:
    return x + (x.round() - x).detach()


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    # the reciprocal is a new tensor, so nobody can change it afterwards
    return x * scale.detach().reciprocal()
