# rejected by: generator_moves_alone: What has gathered in .grad is the caller's
# a full backward, then discriminator.zero_grad(); breaks 'leave no trace in the other: not in its .grad': gradients
# that stood there before generator_step are gone
"""One step for each player of a generative adversarial game."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


def gradient_penalty(discriminator: nn.Module, real: Tensor) -> Tensor:
    """Half the mean squared norm of the logit's gradient in each real sample."""
    leaf = real.detach().requires_grad_()
    (slope,) = torch.autograd.grad(discriminator(leaf).sum(), leaf, create_graph=True)
    return slope.square().sum() / (2 * len(real))


def _learning(net: nn.Module) -> list[nn.Parameter]:
    return [parameter for parameter in net.parameters() if parameter.requires_grad]


def discriminator_step(
    generator: nn.Module, discriminator: nn.Module, optimizer: Any, real: Tensor, noise: Tensor, penalty: float
) -> Tensor:
    """Move the discriminator: real samples up, made ones down, its slope at the real ones flat."""
    with torch.no_grad():
        made = generator(noise)
    loss = functional.softplus(-discriminator(real)).mean() + functional.softplus(discriminator(made)).mean()
    loss = loss + penalty * gradient_penalty(discriminator, real)
    optimizer.zero_grad()
    loss.backward(inputs=_learning(discriminator))
    optimizer.step()
    return loss.detach()


def generator_step(generator: nn.Module, discriminator: nn.Module, optimizer: Any, noise: Tensor) -> Tensor:
    """Move the generator so that the discriminator takes its samples for real."""
    loss = functional.softplus(-discriminator(generator(noise))).mean()
    optimizer.zero_grad()
    loss.backward()
    discriminator.zero_grad()
    optimizer.step()
    return loss.detach()
