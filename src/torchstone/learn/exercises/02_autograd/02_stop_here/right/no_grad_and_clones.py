# earns: solved
# no_grad for the target, a clone rounded behind autograd's back (nobody saved it), a private copy of the scale
import torch
from torch import Tensor


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    with torch.no_grad():
        target = torch.add(reward, next_value, alpha=discount)
    return torch.mean((value - target) ** 2)


def round_through(x: Tensor) -> Tensor:
    result = x.clone()
    with torch.no_grad():
        result.detach().round_()
    return result


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    constant = scale.detach().clone()
    return torch.true_divide(x, constant)
