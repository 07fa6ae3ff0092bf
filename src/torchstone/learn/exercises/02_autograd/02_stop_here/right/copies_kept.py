# earns: solved
# copies made under no_grad, and a zero that carries the gradient
import torch
from torch import Tensor
from torch.nn import functional


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    return functional.mse_loss(value, torch.add(reward.detach(), next_value.detach(), alpha=discount))


def round_through(x: Tensor) -> Tensor:
    still = x.detach()
    return still.round() + (x - still)


@torch.no_grad()
def copied(scale: Tensor) -> Tensor:
    return scale.clone()


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    return torch.div(x, copied(scale))
